//! Turns a form submitted at a gate into a decision on the stream that all gates write to.
//!
//! It is on the stream before it is confirmed. A resubmitted form is the same decision. If the dispatcher published the
//! decision about the same gate request, the form belongs to that one: one person decided once.

use super::submission::{Append, as_entry};
use crate::channels::service::ChannelService;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::decode::{DecodeLimits, Decoded, decode};
use crate::domain::intake::event::{GateRequest, Rejection, StreamKind};
use crate::domain::records::record::DecisionRecord;
use crate::ports::{BusError, FeedbackFilter};
use crate::queries::QueryError;
use crate::text::ids::{Gate, short_hash};
use crate::text::verdict::{Severity, Verdict};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;

/// The same words by the same person about the same gate within this time count once.
const SAME_WITHIN: SignedDuration = SignedDuration::from_mins(1);
/// Maximum wait for the evaluation.
const PATIENCE: Duration = Duration::from_millis(500);
/// Polling interval.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Maximum age of the dispatcher's decision about a gate request.
const DECIDED_WITHIN: SignedDuration = SignedDuration::from_hours(24);
/// How many of the latest decisions are searched for it.
const LOOKED_AT: usize = 200;

/// Finds a gate request; may block.
pub type FindRequest = Box<dyn Fn(&str) -> Result<Option<GateRequest>, BusError> + Send + Sync>;

/// The form's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// A gate request's id, or a gate's name.
    pub gate_id: String,
    /// The decision.
    pub verdict: Verdict,
    /// Free tags.
    pub tags: Vec<String>,
    /// The requested correction, in words.
    pub summary: Option<String>,
    /// How serious the reviewer considers it.
    pub severity: Option<Severity>,
    /// Whether to learn from it.
    pub consider_for_improvement: Option<bool>,
    /// The review time in seconds.
    pub duration_seconds: Option<u64>,
    /// The correction as a diff.
    pub correction_diff: Option<String>,
    /// Any further comment by the reviewer.
    pub comment: Option<String>,
}

impl Form {
    /// Returns a digest that is equal for equal content, ignoring the duration.
    fn digest(&self, by: &str) -> String {
        short_hash(&[by, &format!("{:?}", Form { duration_seconds: None, ..self.clone() })])
    }
}

/// An accepted decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The id of its feedback in the store.
    pub feedback_id: String,
    /// Its class with the probability that it is right, if evaluated in time.
    pub evaluated: Option<(Classification, f64)>,
}

/// Why nothing was accepted.
#[derive(Debug, Error)]
pub enum FormError {
    /// No gate request or gate has this name.
    #[error(
        "there is no gate request `{0}`, and it is not a gate such as HITL-4; if the request has expired, name the \
         gate instead"
    )]
    NoGate(String),
    /// The gate request does not name its gate.
    #[error("the gate request `{0}` has no readable `gate_type`; name the gate instead, such as HITL-4")]
    NoType(String),
    /// The key was used for other content.
    #[error("this Idempotency-Key was already used for another request; use a new one")]
    OtherContent,
    /// It cannot be decoded.
    #[error("{}", .0.message)]
    Rejected(Rejection),
    /// Redis cannot be reached.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The store cannot be queried.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Passes forms to the daemon and returns the result. Shared by all callers; every call may block.
pub struct GateFeedback {
    /// Limits and the tenant for decoding.
    pub limits: DecodeLimits,
    /// Appends to the stream of decisions.
    pub append: Append,
    /// Finds gate requests.
    pub request: FindRequest,
    /// Recent submissions.
    pub said: Said,
}

/// Recent and current submissions.
#[derive(Default)]
pub struct Said {
    state: Mutex<SaidState>,
    /// Notified when a submission is done.
    done: Condvar,
}

#[derive(Default)]
struct SaidState {
    /// Each decision with the form's digest and the time.
    lately: BTreeMap<String, (String, Timestamp)>,
    /// The digests and key ids of the forms being sent.
    now: BTreeSet<String>,
}

impl Said {
    /// Waits until no other form with one of these names is being sent, and holds the names until dropped.
    fn begin(&self, names: Vec<String>) -> FormInProgress<'_> {
        let is_free = |state: &SaidState| !names.iter().any(|name| state.now.contains(name));
        let state = self.done.wait_while(self.state(), |state| !is_free(state));
        state.unwrap_or_else(PoisonError::into_inner).now.extend(names.iter().cloned());
        FormInProgress { said: self, names }
    }

    fn state(&self) -> MutexGuard<'_, SaidState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A form being sent: only the same form has to wait.
struct FormInProgress<'a> {
    said: &'a Said,
    names: Vec<String>,
}

impl Drop for FormInProgress<'_> {
    fn drop(&mut self) {
        let mut state = self.said.state();
        for name in &self.names {
            state.now.remove(name);
        }
        drop(state);
        self.said.done.notify_all();
    }
}

/// What is known of the gate.
struct GateInfo {
    /// As in the record.
    gate_id: String,
    /// The request's fields; empty if a gate was named.
    request: BTreeMap<String, String>,
    /// The dispatcher's decision about the request.
    decided: Option<DecisionRecord>,
}

impl GateFeedback {
    /// Appends a submission to the stream unless it is there, and waits briefly for its evaluation. `key` distinguishes
    /// a resent form from a repeated statement.
    ///
    /// # Errors
    /// If nothing was accepted.
    pub fn give(
        &self,
        channels: &ChannelService,
        form: &Form,
        by: &str,
        key: Option<&str>,
        now: Timestamp,
    ) -> Result<Taken, FormError> {
        let deadline = Instant::now() + PATIENCE;
        let asked = self.asked(channels, form, now, deadline)?;
        let digest = form.digest(by);
        let own = key.map(|key| format!("ui-{}", short_hash(&["key", by, &form.gate_id, key])));
        // Held until it is on the stream: a concurrent identical submission waits and then finds it there.
        let saying = self.said.begin(own.iter().cloned().chain([digest.clone()]).collect());
        let lately = {
            let mut state = self.said.state();
            state.lately.retain(|_, (_, at)| now.duration_since(*at) < SAME_WITHIN);
            match &own {
                Some(id) => state.lately.get(id).map(|(other, _)| (id.clone(), other.clone())),
                None => state
                    .lately
                    .iter()
                    .find(|(_, (other, _))| *other == digest)
                    .map(|(id, _)| (id.clone(), digest.clone())),
            }
        };
        let known = match (lately, &own) {
            (Some((_, other)), _) if other != digest => return Err(FormError::OtherContent),
            (Some((id, _)), _) => Some(id),
            (None, Some(id)) => recorded(channels, id, &digest)?,
            (None, None) => None,
        };
        let fresh = || own.clone().unwrap_or_else(|| format!("ui-{}-{digest}", now.strftime("%Y%m%dT%H%M")));
        let said_as = known.clone().unwrap_or_else(fresh);
        let decision_id = asked.decided.as_ref().map_or_else(|| said_as.clone(), |decided| decided.decision_id.clone());
        if known.is_none() {
            let payload = self.payload(form, &asked, &decision_id, by, &digest, now);
            let entry = as_entry(StreamKind::HitlDecisions, "review-ui", &payload, now);
            if let Decoded::Rejected(rejection) = decode(&entry, &self.limits, now) {
                return Err(FormError::Rejected(rejection));
            }
            (self.append)(&payload)?;
            self.said.state().lately.insert(said_as, (digest, now));
        }
        drop(saying);
        let feedback_id = feedback_id(&decision_id);
        // It is on the stream: an index failure is no reason to have it sent again.
        let evaluated = wait(deadline, || evaluation(channels, &feedback_id)).unwrap_or_default();
        Ok(Taken { feedback_id, evaluated })
    }

    /// Returns the gate. A request takes precedence over a name: its id may look like one.
    fn asked(
        &self,
        channels: &ChannelService,
        form: &Form,
        now: Timestamp,
        deadline: Instant,
    ) -> Result<GateInfo, FormError> {
        let request = match (self.request)(&form.gate_id)? {
            Some(GateRequest::Found(request)) if !request.is_empty() => request,
            _ if Gate::parse(&form.gate_id).is_some() => BTreeMap::new(),
            _ => return Err(FormError::NoGate(form.gate_id.clone())),
        };
        if request.is_empty() {
            return Ok(GateInfo { gate_id: form.gate_id.clone(), request, decided: None });
        }
        let gate = request.get("gate_type").and_then(|kind| Some((kind.clone(), Gate::parse(kind)?)));
        let Some((gate_id, gate)) = gate else { return Err(FormError::NoType(form.gate_id.clone())) };
        // If it was decided, the dispatcher published that on its stream, perhaps only just now.
        let is_decided = request.get("status").is_some_and(|status| matches!(status.as_str(), "approved" | "rejected"));
        let find = || decision_about(channels, &form.gate_id, gate, &request, now);
        let decided = if is_decided { wait(deadline, find)? } else { None };
        Ok(GateInfo { gate_id, request, decided })
    }

    fn payload(
        &self,
        form: &Form,
        asked: &GateInfo,
        decision_id: &str,
        by: &str,
        digest: &str,
        now: Timestamp,
    ) -> Value {
        let mut fields = Map::new();
        let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        put("decision_id", json!(decision_id));
        put("gate_id", json!(asked.gate_id));
        put("decision", json!(form.verdict));
        put("timestamp", json!(now.to_string()));
        put("review_duration_seconds", json!(form.duration_seconds));
        put("tags", json!(form.tags));
        put("severity", json!(form.severity));
        put("consider_for_improvement", json!(form.consider_for_improvement));
        put("correction_diff", json!(form.correction_diff));
        put("form_digest", json!(digest));
        put("tenant_id", json!(self.limits.tenant));
        for (field, from) in [("agent", "requested_by"), ("session_id", "session_id"), ("task_id", "task_id")] {
            put(field, json!(asked.request.get(from)));
        }
        if !asked.request.is_empty() {
            put("request_id", json!(form.gate_id));
        }
        match &asked.decided {
            // Two events of one decision must agree on the reviewer and the wording, so the form's words go into the
            // summary.
            Some(decided) => {
                put("reviewer_id", json!(decided.reviewer_id));
                let words: Vec<&str> = form.summary.iter().chain(&form.comment).map(String::as_str).collect();
                put("correction_summary", json!(words.join("\n")));
            }
            None => {
                put("reviewer_id", json!(by));
                put("correction_summary", json!(form.summary));
                put("reviewer_comment", json!(form.comment));
            }
        }
        fields.retain(|_, value| !value.is_null());
        Value::Object(fields)
    }
}

/// Polls until there is a result or the deadline passes.
fn wait<T, E>(deadline: Instant, mut look: impl FnMut() -> Result<Option<T>, E>) -> Result<Option<T>, E> {
    loop {
        let found = look()?;
        if found.is_some() || Instant::now() > deadline {
            return Ok(found);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Returns the recorded decision with this id, if it has the same content.
fn recorded(channels: &ChannelService, id: &str, digest: &str) -> Result<Option<String>, FormError> {
    let record = channels.ask(|c| match c.queries.index.feedback(&feedback_id(id))? {
        Some(found) => c.queries.decision(&found.path).map(Some),
        None => Ok(None),
    })?;
    let Some(record) = record else { return Ok(None) };
    let same = record.extra.get("form_digest").and_then(Value::as_str) == Some(digest);
    if same { Ok(Some(id.to_owned())) } else { Err(FormError::OtherContent) }
}

/// Returns the decision about a gate request that the dispatcher published, if recorded.
fn decision_about(
    channels: &ChannelService,
    request_id: &str,
    gate: Gate,
    request: &BTreeMap<String, String>,
    now: Timestamp,
) -> Result<Option<DecisionRecord>, QueryError> {
    let filter = FeedbackFilter {
        gate: Some(gate),
        since: now.saturating_sub(DECIDED_WITHIN).ok(),
        limit: LOOKED_AT,
        ..FeedbackFilter::default()
    };
    let session = request.get("session_id");
    channels.ask(|c| {
        for found in c.queries.index.list(&filter)? {
            if found.session.as_ref() != session {
                continue;
            }
            let record = c.queries.decision(&found.path)?;
            let is_it = record.extra.get("request_id").and_then(Value::as_str) == Some(request_id);
            // A decision from a form is identified by its digest.
            if is_it && !record.extra.contains_key("form_digest") {
                return Ok(Some(record));
            }
        }
        Ok(None)
    })
}

fn evaluation(channels: &ChannelService, feedback_id: &str) -> Result<Option<(Classification, f64)>, QueryError> {
    let found = channels.ask(|c| Ok(c.queries.index.feedback(feedback_id)?))?;
    Ok(found.map(|found| (found.classification, found.confidence)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn only_the_same_form_waits_for_a_form_that_is_being_sent() {
        let said = Said::default();
        let first = said.begin(vec!["key".to_owned(), "digest".to_owned()]);
        // With a single lock for all, this would wait forever.
        drop(said.begin(vec!["another".to_owned()]));
        std::thread::scope(|scope| {
            let (told, hears) = channel();
            let said = &said;
            scope.spawn(move || {
                let _same = said.begin(vec!["digest".to_owned()]);
                let names: Vec<String> = said.state().now.iter().cloned().collect();
                told.send(names).expect("somebody hears");
            });
            assert!(hears.try_recv().is_err(), "it waits");
            drop(first);
            assert_eq!(hears.recv().expect("it goes on"), ["digest"], "nobody else is at it");
        });
    }
}
