//! What forges send becomes decisions on the stream that all gates write to.
//!
//! A review comes in parts, in any order. Each part is durable before the forge hears that it was taken; when a review has
//! been quiet for a while its parts become one decision, in one step with their removal. A delivery that comes again
//! changes nothing. Signatures are checked by whoever receives it.

use super::members::Members;
use super::poll_triggers::Wakes;
use crate::domain::identity;
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::forge::{
    HeardFrom, Kind, Part, Person, Policy, Reason, Review, Said, Told, ToldWhat, decision, decision_id, identify, read,
    without_courtesy,
};
use crate::metrics;
use crate::metrics::Delivered;
use crate::ports::{BusError, ForgeInbox, Handed, RestError};
use crate::text::ids::{safe_name, short_hash};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A review that never falls quiet is handed over after so many times the time of gathering.
const PATIENCE: i32 = 10;

/// A forge that is connected.
#[derive(Clone, Debug)]
pub struct Forge {
    /// What it is called in the configuration and in its address.
    pub name: String,
    pub kind: Kind,
    /// The gate at which its reviews count.
    pub gate: String,
    /// Whose words are heard, and whose work it is.
    pub policy: Policy,
    /// The person of the roster for an account.
    pub people: BTreeMap<String, String>,
    /// Who belongs to its repositories, where its API is to say it.
    pub members: Option<Arc<Members>>,
    /// The base of its pages, where its API does not say them.
    pub pages: Option<String>,
}

/// All forges, and the way of their deliveries to the daemon. Every call may block.
pub struct Forges {
    /// By name.
    pub connected: BTreeMap<String, Forge>,
    /// Where parts wait.
    pub inbox: Box<dyn ForgeInbox>,
    /// How long a review must be quiet.
    pub gather: SignedDuration,
    /// The tenant that decisions name.
    pub tenant: Option<String>,
    /// Whom to wake where a forge does not send all that was said.
    pub wakes: Wakes,
}

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It waits to become a decision, or part of one.
    Review,
    /// It waits to be told of what was said before.
    Told,
    /// It was taken before.
    Before,
    /// Nothing is taken of it.
    Nothing(Reason),
}

/// Says what part a person has in a repository; `None` if they have none.
pub type Ask<'a, E> = dyn FnMut(&Members, &str, &Person) -> Result<Option<String>, E> + 'a;

impl Forge {
    /// What was said, with whose work it is said to be, where it is heard.
    ///
    /// # Errors
    /// The reason why it is not.
    pub fn hear(&self, delivery: &str, said: Said) -> Result<Part, Reason> {
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
            Said::Nothing(reason) => Err(reason),
            Said::Review(review) => {
                let (agent, rests_on) = self.policy.hear(&review.by, &review.work)?;
                let review = without_courtesy(*review, self.kind)?;
                let part = Part { agent, rests_on, person: self.person(&review.by), review: Some(review), ..part };
                // What cannot be known now is asked for later.
                if self.members.is_some() || self.admits(&part) { Ok(part) } else { Err(Reason::NoStanding) }
            }
            Said::Told(told) => Ok(Part { person: self.person(&told.by), told: Some(*told), ..part }),
        }
    }

    /// The person for an account. Forges take no notice of capitals in names.
    fn person(&self, by: &Person) -> Option<String> {
        let named = || self.people.iter().find(|(account, _)| account.eq_ignore_ascii_case(&by.login)).map(|(_, p)| p);
        self.people.get(&by.login).or_else(named).filter(|_| !by.deleted).cloned()
    }

    /// Whether a comment counts by its author's part in the repository, as far as that is known. People whom the configuration
    /// names always count; deleted accounts were looked at before.
    fn admits(&self, part: &Part) -> bool {
        let Some(review) = &part.review else { return true };
        part.person.is_some() || review.by.deleted || self.policy.heard_from.counts(review.by.standing.as_deref())
    }

    /// The part with what is known of its author, if that counts. `ask` says what part an account has in a repository.
    ///
    /// # Errors
    /// Those of `ask`.
    pub fn admit<E>(&self, mut part: Part, ask: &mut Ask<'_, E>) -> Result<Result<Part, Reason>, E> {
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
    /// Takes a delivery whose signature is right. It is durable when this returns.
    ///
    /// # Errors
    /// When Redis cannot be reached; the forge has to send it again.
    pub fn take(&self, forge: &Forge, delivery: &str, event: &str, body: &Value) -> Result<Taken, BusError> {
        let heard = forge.hear(delivery, read(forge.kind, event, body));
        let may_have_more = matches!(heard, Ok(_) | Err(Reason::Empty | Reason::Praise | Reason::Command));
        if forge.kind == Kind::Gerrit && may_have_more {
            // There may be inline comments; an event says no more than how many, and not always that.
            let project = body.pointer("/change/project").and_then(Value::as_str);
            self.wakes.wake(&forge.name, project.unwrap_or_default());
        }
        let part = match heard {
            Ok(part) => part,
            Err(reason) => return Ok(ignored(reason)),
        };
        let taken = if part.told.is_some() { Taken::Told } else { Taken::Review };
        let text = serde_json::to_string(&part)
            .map_err(|error| BusError::Unavailable(format!("the delivery cannot be written: {error}")))?;
        if !self.inbox.put(&format!("{}:{delivery}", forge.name), &text)? {
            metrics::forge_delivery(Delivered::Replayed);
            return Ok(Taken::Before);
        }
        metrics::forge_delivery(if taken == Taken::Told { Delivered::Told } else { Delivered::Taken });
        Ok(taken)
    }

    /// Hands over what has been quiet for long enough; says how many reviews and tidings that were.
    ///
    /// # Errors
    /// When Redis cannot be reached; nothing is lost by that.
    pub fn hand_over(&self, now: Timestamp) -> Result<usize, BusError> {
        let mut groups: BTreeMap<String, Vec<(String, Timestamp, Part)>> = BTreeMap::new();
        for (id, text) in self.inbox.waiting()? {
            let Ok(part) = serde_json::from_str::<Part>(&text) else {
                tracing::error!(entry = id, "a delivery that waits cannot be read; it is left where it is");
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
                // It stays where it is until the forge says who that is.
                Err(error) => tracing::debug!(review = key, %error, "the forge does not say who may speak; it waits"),
            }
        }
        Ok(handed)
    }

    /// A part that waited, where it counts.
    fn admitted(&self, part: Part, now: Timestamp) -> Result<Option<Part>, RestError> {
        let Some(forge) = self.connected.get(&part.forge) else { return Ok(Some(part)) };
        let asked = forge.admit(part, &mut |members, repository, by| members.standing(repository, by, now))?;
        Ok(asked.map_err(metrics::forge_ignored).ok())
    }

    /// Hands over a review that was read as a whole, as an API says it, where or as far as it did not come before.
    ///
    /// # Errors
    /// When Redis cannot be reached; it may be called again.
    pub fn hand_in(&self, parts: &[Part], now: Timestamp) -> Result<bool, BusError> {
        Ok(self.settle("", &[], parts, now)? > 0)
    }

    /// The decisions that a review would become where nothing of it came before. Nothing is handed over.
    pub fn decisions_of(&self, parts: &[Part], now: Timestamp) -> Vec<Value> {
        self.outcome(parts, identify(parts).as_deref(), &[], now).decisions
    }

    /// Appends what the parts became, and removes those that waited; says how much was appended. `key` is what a group
    /// without a review has in common.
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
            // Somebody else said some of it meanwhile, or handed over the same parts.
            let waiting = self.inbox.waiting()?;
            if !ids.is_empty() && !ids.iter().all(|id| waiting.iter().any(|(other, _)| other == id)) {
                return Ok(0);
            }
        }
    }

    /// An account that is not mapped never passes for a person whom the configuration names. The people of the roster are known
    /// when the decision is recorded.
    fn name_apart(&self, parts: &[Part], payload: &mut Value) {
        let part = parts.iter().rfind(|part| part.review.is_some());
        let account = payload["reviewer_id"].as_str().map(str::to_owned);
        if let (Some(part), Some(account)) = (part.filter(|part| part.person.is_none()), account) {
            let people = self.connected.values().flat_map(|forge| forge.people.values().map(String::as_str));
            payload["reviewer_id"] = json!(identity::apart(&account, &part.forge, people));
        }
    }

    /// What the parts of one review become, of which something may have been handed over before.
    fn outcome(&self, parts: &[Part], id: Option<&str>, known: &[String], now: Timestamp) -> Handed {
        let tenant = self.tenant.as_deref();
        let is_new = |part: &&Part| part.review.is_none() || part.says().iter().any(|said| !known.contains(said));
        let parts: Vec<Part> = parts.iter().filter(is_new).cloned().collect();
        if let Some(id) = id.filter(|_| parts.iter().any(|part| part.review.is_some())) {
            // What comes late is a decision of its own.
            let late = || format!("{id}-late-{}", short_hash(&[parts.first().map_or("", |part| &part.delivery)]));
            let id = if known.is_empty() { id.to_owned() } else { late() };
            let Some(mut payload) = decision(&parts, &id, tenant, now) else { return Handed::default() };
            self.name_apart(&parts, &mut payload);
            let said: BTreeSet<String> = known.iter().cloned().chain(parts.iter().flat_map(Part::says)).collect();
            return Handed { decisions: vec![payload], said: said.into_iter().collect(), ..Handed::default() };
        }
        let mut handed = Handed::default();
        for part in &parts {
            let Some(told) = &part.told else { continue };
            handed.reviews.push(follow_up(part, told, tenant, now));
            // An account is nobody on the roster unless the configuration says so: whoever has a person's name on a forge
            // need not be that person.
            if let (ToldWhat::Dismissed, Some(person)) = (told.what, &part.person) {
                handed.reviews.push(withdrawal(part, person, tenant, now));
            }
        }
        handed
    }
}

/// What is told of something that was said before. It is kept beside the decisions and changes none of them.
fn follow_up(part: &Part, told: &Told, tenant: Option<&str>, now: Timestamp) -> Value {
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

/// The request to learn nothing from a review that does not hold any longer. Whether it counts is decided as for everybody:
/// an approver on the roster may withdraw; of anybody else it is recorded that they said so.
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

/// What is the same when it is sent again, and only then. Forges sign the body and not their id of the delivery, so who
/// captured one could send it under another id: the body tells.
pub fn delivery_of(body: &[u8]) -> String {
    blake3::hash(body).to_hex().to_string()
}

fn ignored(reason: Reason) -> Taken {
    metrics::forge_delivery(Delivered::Ignored);
    metrics::forge_ignored(reason);
    Taken::Nothing(reason)
}

/// When Redis took an entry.
fn arrived(id: &str) -> Option<Timestamp> {
    Timestamp::from_millisecond(id.split('-').next()?.parse().ok()?).ok()
}
