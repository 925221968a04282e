//! Tests of the specification's tables and examples, of learning, and of invariants.

mod causes;
mod examples;
mod laws;
mod loops;
mod read;

use super::*;
use jiff::Timestamp;
use serde_json::{Value, json};

/// Creates an event with the fields that every event has; `more` adds to them.
pub(super) fn event(id: u32, kind: &str, more: Value) -> Value {
    let second = jiff::Timestamp::from_second(1_767_261_600 + i64::from(id)).unwrap();
    let mut event = json!({
        "action_id": format!("act-{id:04}"), "timestamp": second.to_string(), "session_id": "s-1",
        "agent": "kyc-agent", "user_input": "process KYC-2026-001_DOC_001.pdf", "type": kind,
        "inference": "unresolved_document_ids",
    });
    for (name, value) in more.as_object().unwrap() {
        event[name] = value.clone();
    }
    event
}

pub(super) fn read(value: &Value) -> ActionResult {
    let mut results = ActionResult::from_value(value, Timestamp::MAX).unwrap();
    assert_eq!(results.len(), 1);
    results.pop().unwrap()
}

pub(super) fn result(id: u32, kind: &str, more: Value) -> ActionResult {
    read(&event(id, kind, more))
}

/// Returns the answer of a daemon without earlier events.
pub(super) fn answer(value: &Value) -> ActionFeedback {
    Actions::new(Policy::default()).take(&read(value)).unwrap().feedback
}
