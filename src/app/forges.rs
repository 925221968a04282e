//! What forges send becomes decisions on the stream that all gates write to.
//!
//! A review comes in parts, in any order. Each part is durable before the forge hears that it was taken; when a review has
//! been quiet for a while its parts become one decision, in one step with their removal. A delivery that comes again
//! changes nothing. Signatures are checked by whoever receives it.

use super::wakes::Wakes;
use crate::domain::ids::{safe_name, short_hash};
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::forge::{
    Kind, Part, Policy, Reason, Said, Told, ToldWhat, decision, decision_id, identify, read,
};
use crate::metrics::{self, Delivered};
use crate::ports::{BusError, ForgeInbox, Handed};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

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

impl Forge {
    /// What was said, with whose work it is said to be, where it is heard.
    ///
    /// # Errors
    /// The reason why it is not.
    pub fn hear(&self, delivery: &str, said: Said) -> Result<Part, Reason> {
        let person = |login: &str| self.people.get(login).cloned();
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
                Ok(Part { agent, rests_on, person: person(&review.by.login), review: Some(*review), ..part })
            }
            Said::Told(told) => Ok(Part { person: person(&told.by.login), told: Some(*told), ..part }),
        }
    }
}

impl Forges {
    /// Takes a delivery whose signature is right. It is durable when this returns.
    ///
    /// # Errors
    /// When Redis cannot be reached; the forge has to send it again.
    pub fn take(&self, forge: &Forge, delivery: &str, event: &str, body: &Value) -> Result<Taken, BusError> {
        let heard = forge.hear(delivery, read(forge.kind, event, body));
        if forge.kind == Kind::Gerrit && matches!(heard, Ok(_) | Err(Reason::Empty)) {
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
            handed += usize::from(self.settle(&key, &ids, &parts, now)? > 0);
        }
        Ok(handed)
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

    /// What the parts of one review become, of which something may have been handed over before.
    fn outcome(&self, parts: &[Part], id: Option<&str>, known: &[String], now: Timestamp) -> Handed {
        let tenant = self.tenant.as_deref();
        let is_new = |part: &&Part| part.review.is_none() || part.says().iter().any(|said| !known.contains(said));
        let parts: Vec<Part> = parts.iter().filter(is_new).cloned().collect();
        if let Some(id) = id.filter(|_| parts.iter().any(|part| part.review.is_some())) {
            // What comes late is a decision of its own.
            let late = || format!("{id}-late-{}", short_hash(&[parts.first().map_or("", |part| &part.delivery)]));
            let id = if known.is_empty() { id.to_owned() } else { late() };
            let Some(payload) = decision(&parts, &id, tenant, now) else { return Handed::default() };
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
