//! Turns deliveries from forges into decisions on the stream that all gates write to.
//!
//! A review comes in parts, in any order. Each part is durable before the forge gets its response. When a review has
//! been quiet for a while, its parts become one decision and are removed in the same step. A repeated delivery changes
//! nothing. The receiver checks signatures.

use super::members::Members;
use super::poll_triggers::PollTriggers;
use crate::domain::identity;
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::forge::{
    EventContent, FollowUpEvent, HeardFrom, Kind, Part, Person, Policy, Reason, Review, ToldWhat, decision,
    decision_id, identify, read, without_courtesy,
};
use crate::metrics;
use crate::metrics::DeliveryOutcome;
use crate::ports::{BusError, ForgeInbox, HandOver, RestError};
use crate::text::ids::{safe_name, short_hash};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A review that never falls quiet is passed on after this many gathering periods.
const PATIENCE: i32 = 10;

/// A connected forge.
#[derive(Clone, Debug)]
pub struct Forge {
    /// Its name in the configuration and in its address.
    pub name: String,
    pub kind: Kind,
    /// The gate for its reviews.
    pub gate: String,
    /// Whose comments count, and whose work is reviewed.
    pub policy: Policy,
    /// Maps accounts to people on the roster.
    pub people: BTreeMap<String, String>,
    /// The members of its repositories, if its API is to provide them.
    pub members: Option<Arc<Members>>,
    /// The base URL of its pages, if its API does not give them.
    pub pages: Option<String>,
}

/// All forges, and the path of their deliveries to the daemon. Every call may block.
pub struct Forges {
    /// Forges by name.
    pub connected: BTreeMap<String, Forge>,
    /// Where parts are held.
    pub inbox: Box<dyn ForgeInbox>,
    /// How long a review must be quiet.
    pub gather: SignedDuration,
    /// The tenant named in decisions.
    pub tenant: Option<String>,
    /// What to wake if a forge does not send everything that was said.
    pub wakes: PollTriggers,
}

/// Outcome of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryResult {
    /// Pending as a decision, or part of one.
    Review,
    /// Pending as a follow-up to something said before.
    FollowUp,
    /// Already accepted before.
    Before,
    /// Ignored, for this reason.
    Nothing(Reason),
}

/// Returns a person's role in a repository; `None` if they have none.
pub type RoleLookup<'a, E> = dyn FnMut(&Members, &str, &Person) -> Result<Option<String>, E> + 'a;

impl Forge {
    /// Returns what was said, with the agent it is about, if it counts.
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn hear(&self, delivery: &str, said: EventContent) -> Result<Part, Reason> {
        let part = Part {
            forge: self.name.clone(),
            kind: self.kind,
            gate: self.gate.clone(),
            delivery: delivery.to_owned(),
            agent: String::new(),
            rests_on: String::new(),
            person: None,
            review: None,
            told: None,
        };
        match said {
            EventContent::Nothing(reason) => Err(reason),
            EventContent::Review(review) => {
                let (agent, rests_on) = self.policy.hear(&review.by, &review.work)?;
                let review = without_courtesy(*review, self.kind)?;
                let part = Part { agent, rests_on, person: self.person(&review.by), review: Some(review), ..part };
                // Whatever cannot be known now is looked up later.
                if self.members.is_some() || self.admits(&part) { Ok(part) } else { Err(Reason::NoStanding) }
            }
            EventContent::FollowUp(told) => Ok(Part { person: self.person(&told.by), told: Some(*told), ..part }),
        }
    }

    /// Returns the person for an account. Forges treat account names as case-insensitive.
    fn person(&self, by: &Person) -> Option<String> {
        let named = || self.people.iter().find(|(account, _)| account.eq_ignore_ascii_case(&by.login)).map(|(_, p)| p);
        self.people.get(&by.login).or_else(named).filter(|_| !by.deleted).cloned()
    }

    /// Reports whether a comment counts by its author's role in the repository, as far as known. People named in the
    /// configuration always count; deleted accounts were checked earlier.
    fn admits(&self, part: &Part) -> bool {
        let Some(review) = &part.review else { return true };
        part.person.is_some() || review.by.deleted || self.policy.heard_from.counts(review.by.standing.as_deref())
    }

    /// Returns the part with what is known of its author, if it counts. `ask` looks up an account's role in a
    /// repository.
    ///
    /// # Errors
    /// Those of `ask`.
    pub fn admit<E>(&self, mut part: Part, ask: &mut RoleLookup<'_, E>) -> Result<Result<Part, Reason>, E> {
        let is_settled = |review: &Review| {
            let standing = review.by.standing.as_deref();
            review.by.deleted
                || self.policy.heard_from == HeardFrom::Anyone
                || standing.is_some() && self.policy.heard_from.counts(standing)
        };
        if let (Some(members), Some(review), None) = (&self.members, &mut part.review, &part.person)
            && !is_settled(review)
        {
            review.by.standing = ask(members, &review.work.repository, &review.by)?;
        }
        Ok(if self.admits(&part) { Ok(part) } else { Err(Reason::NoStanding) })
    }
}

impl Forges {
    /// Accepts a delivery with a valid signature. It is durable when this returns.
    ///
    /// # Errors
    /// If Redis cannot be reached; the forge has to send it again.
    pub fn take(&self, forge: &Forge, delivery: &str, event: &str, body: &Value) -> Result<DeliveryResult, BusError> {
        let heard = forge.hear(delivery, read(forge.kind, event, body));
        let may_have_more = matches!(heard, Ok(_) | Err(Reason::Empty | Reason::Praise | Reason::Command));
        if forge.kind == Kind::Gerrit && may_have_more {
            // There may be inline comments; an event gives at most their number, and not always that.
            let project = body.pointer("/change/project").and_then(Value::as_str);
            self.wakes.wake(&forge.name, project.unwrap_or_default());
        }
        let part = match heard {
            Ok(part) => part,
            Err(reason) => return Ok(ignored(reason)),
        };
        let taken = if part.told.is_some() { DeliveryResult::FollowUp } else { DeliveryResult::Review };
        let text = serde_json::to_string(&part)
            .map_err(|error| BusError::Unavailable(format!("the delivery cannot be written: {error}")))?;
        if !self.inbox.put(&format!("{}:{delivery}", forge.name), &text)? {
            metrics::forge_delivery(DeliveryOutcome::Replayed);
            return Ok(DeliveryResult::Before);
        }
        metrics::forge_delivery(if taken == DeliveryResult::FollowUp {
            DeliveryOutcome::Told
        } else {
            DeliveryOutcome::Taken
        });
        Ok(taken)
    }

    /// Passes on what has been quiet for long enough; returns the number of reviews and follow-ups.
    ///
    /// # Errors
    /// If Redis cannot be reached; nothing is lost.
    pub fn hand_over(&self, now: Timestamp) -> Result<usize, BusError> {
        let mut groups: BTreeMap<String, Vec<(String, Timestamp, Part)>> = BTreeMap::new();
        for (id, text) in self.inbox.waiting()? {
            let Ok(part) = serde_json::from_str::<Part>(&text) else {
                tracing::error!(entry = id, "a pending delivery cannot be read; it is left in place");
                continue;
            };
            let at = arrived(&id).unwrap_or(now);
            groups.entry(part.key()).or_default().push((id, at, part));
        }
        let mut handed = 0;
        for (key, group) in groups {
            let (first, last) = (group.iter().map(|(_, at, _)| *at).min(), group.iter().map(|(_, at, _)| *at).max());
            let quiet = last.is_none_or(|last| now.duration_since(last) >= self.gather);
            let late = first.is_some_and(|first| now.duration_since(first) >= self.gather * PATIENCE);
            if !quiet && !late {
                continue;
            }
            let (ids, parts): (Vec<String>, Vec<Part>) = group.into_iter().map(|(id, _, part)| (id, part)).unzip();
            let admitted: Result<Vec<Option<Part>>, RestError> =
                parts.into_iter().map(|part| self.admitted(part, now)).collect();
            match admitted {
                Ok(parts) => {
                    let parts: Vec<Part> = parts.into_iter().flatten().collect();
                    handed += usize::from(self.settle(&key, &ids, &parts, now)? > 0);
                }
                // It stays until the forge answers.
                Err(error) => {
                    tracing::debug!(review = key, %error, "the forge does not report who may speak; it is pending")
                }
            }
        }
        Ok(handed)
    }

    /// Returns a pending part if it counts.
    fn admitted(&self, part: Part, now: Timestamp) -> Result<Option<Part>, RestError> {
        let Some(forge) = self.connected.get(&part.forge) else { return Ok(Some(part)) };
        let asked = forge.admit(part, &mut |members, repository, by| members.standing(repository, by, now))?;
        Ok(asked.map_err(metrics::forge_ignored).ok())
    }

    /// Submits a review read in full from an API, unless or as far as it came before.
    ///
    /// # Errors
    /// If Redis cannot be reached; the call may be repeated.
    pub fn hand_in(&self, parts: &[Part], now: Timestamp) -> Result<bool, BusError> {
        Ok(self.settle("", &[], parts, now)? > 0)
    }

    /// Returns the decisions that a review would become if none of it came before. Nothing is submitted.
    pub fn decisions_of(&self, parts: &[Part], now: Timestamp) -> Vec<Value> {
        self.outcome(parts, identify(parts).as_deref(), &[], now).decisions
    }

    /// Appends the result of the parts and removes the pending ones; returns how much was appended. `key` is what parts
    /// without a review have in common.
    fn settle(&self, key: &str, ids: &[String], parts: &[Part], now: Timestamp) -> Result<usize, BusError> {
        loop {
            let id = identify(parts);
            let known = id.as_deref().map_or_else(|| Ok(Vec::new()), |id| self.inbox.said(id))?;
            let handed = self.outcome(parts, id.as_deref(), &known, now);
            let size = handed.decisions.len() + handed.reviews.len();
            if ids.is_empty() && size == 0 {
                return Ok(0);
            }
            if self.inbox.hand_over(id.as_deref().unwrap_or(key), &known, ids, &handed)? {
                return Ok(size);
            }
            // Some of it may have been submitted or passed on elsewhere meanwhile.
            let waiting = self.inbox.waiting()?;
            if !ids.is_empty() && !ids.iter().all(|id| waiting.iter().any(|(other, _)| other == id)) {
                return Ok(0);
            }
        }
    }

    /// Renames an unmapped account so that it never passes for a person named in the configuration. The people on the
    /// roster are known when the decision is recorded.
    fn name_apart(&self, parts: &[Part], payload: &mut Value) {
        let part = parts.iter().rfind(|part| part.review.is_some());
        let account = payload["reviewer_id"].as_str().map(str::to_owned);
        if let (Some(part), Some(account)) = (part.filter(|part| part.person.is_none()), account) {
            let people = self.connected.values().flat_map(|forge| forge.people.values().map(String::as_str));
            payload["reviewer_id"] = json!(identity::apart(&account, &part.forge, people));
        }
    }

    /// Returns what the parts of one review become, some of which may already have been passed on.
    fn outcome(&self, parts: &[Part], id: Option<&str>, known: &[String], now: Timestamp) -> HandOver {
        let tenant = self.tenant.as_deref();
        let is_new = |part: &&Part| part.review.is_none() || part.says().iter().any(|said| !known.contains(said));
        let parts: Vec<Part> = parts.iter().filter(is_new).cloned().collect();
        if let Some(id) = id.filter(|_| parts.iter().any(|part| part.review.is_some())) {
            // A late part is a decision of its own.
            let late = || format!("{id}-late-{}", short_hash(&[parts.first().map_or("", |part| &part.delivery)]));
            let id = if known.is_empty() { id.to_owned() } else { late() };
            let Some(mut payload) = decision(&parts, &id, tenant, now) else { return HandOver::default() };
            self.name_apart(&parts, &mut payload);
            let said: BTreeSet<String> = known.iter().cloned().chain(parts.iter().flat_map(Part::says)).collect();
            return HandOver { decisions: vec![payload], said: said.into_iter().collect(), ..HandOver::default() };
        }
        let mut handed = HandOver::default();
        for part in &parts {
            let Some(told) = &part.told else { continue };
            handed.reviews.push(follow_up(part, told, tenant, now));
            // An account is not a person on the roster unless the configuration maps it: the same name on a forge may
            // belong to another person.
            if let (ToldWhat::Dismissed, Some(person)) = (told.what, &part.person) {
                handed.reviews.push(withdrawal(part, person, tenant, now));
            }
        }
        handed
    }
}

/// Builds a follow-up to something said before. It is kept separately from the decisions and changes none of them.
fn follow_up(part: &Part, told: &FollowUpEvent, tenant: Option<&str>, now: Timestamp) -> Value {
    let what: &'static str = told.what.into();
    let mut payload = json!({
        "follow_up_id": safe_name(&format!("{}-{}", part.forge, short_hash(&[&part.delivery]))),
        "forge": part.forge,
        "repository": told.work.repository,
        "number": told.work.number,
        "what": what,
        "decision_id": decision_id(&part.key(), told.remark.as_deref()),
        "remark": told.remark,
        "by": told.by.login,
        "text": told.text,
        "timestamp": now.to_string(),
        "tenant_id": tenant,
    });
    if let Value::Object(fields) = &mut payload {
        fields.retain(|_, value| !value.is_null());
    }
    payload
}

/// Builds the request to learn nothing from a review that no longer holds. Whether it counts is decided as for
/// everyone: an approver on the roster may withdraw; from others only the request is recorded.
fn withdrawal(part: &Part, person: &str, tenant: Option<&str>, now: Timestamp) -> Value {
    let mut payload = json!({
        "review_id": format!("forge-{}-{}", part.forge, short_hash(&[&part.delivery])),
        "decision": "RETRACT",
        "feedback_id": feedback_id(&decision_id(&part.key(), None)),
        "reviewer_id": person,
        "reason": format!("dismissed on {} by {person}", part.forge),
        "timestamp": now.to_string(),
    });
    if let Some(tenant) = tenant {
        payload["tenant_id"] = json!(tenant);
    }
    payload
}

/// Returns an id that only a repeated delivery shares. Forges sign the body but not their delivery id, so a captured
/// body could be replayed under another id; the body decides.
pub fn delivery_of(body: &[u8]) -> String {
    blake3::hash(body).to_hex().to_string()
}

fn ignored(reason: Reason) -> DeliveryResult {
    metrics::forge_delivery(DeliveryOutcome::Ignored);
    metrics::forge_ignored(reason);
    DeliveryResult::Nothing(reason)
}

/// Returns when Redis received an entry.
fn arrived(id: &str) -> Option<Timestamp> {
    Timestamp::from_millisecond(id.split('-').next()?.parse().ok()?).ok()
}
