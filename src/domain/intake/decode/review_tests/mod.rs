//! Shared test code for valid and invalid submissions of every kind.

mod invalid;
mod safe;
mod valid;

use super::*;
use crate::intake::event::{RawEntry, Rejection, StreamKind};
use crate::intake::submission::{Review, Submission};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// The clock's time.
const NOW: Timestamp = Timestamp::constant(1_768_300_000, 0);

const SECRET: &str = "ghp_FAKEspd0qy1qn3hw5efykh5tbd01srnjns22";

fn entry(fields: &[(&str, &[u8])]) -> RawEntry {
    RawEntry {
        stream: "asdlc:events:meta_hitl_decisions".into(),
        kind: StreamKind::MetaHitl,
        id: "1-0".into(),
        fields: fields.iter().map(|(n, v)| ((*n).to_owned(), v.to_vec())).collect(),
        gate_request: None,
        oversize: None,
    }
}

fn payload(event: &Value) -> RawEntry {
    entry(&[("data", event.to_string().as_bytes())])
}

fn flat(event: &Value) -> RawEntry {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes();
    let fields: Vec<_> = event.as_object().unwrap().iter().map(|(n, v)| (n.as_str(), text(v))).collect();
    entry(&fields.iter().map(|(n, v)| (*n, v.as_slice())).collect::<Vec<_>>())
}

/// Merges the fields of `more` into `event`; null removes one.
fn with(mut event: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        event[name] = value.clone();
    }
    let fields: Map<_, _> = event.as_object().unwrap().clone().into_iter().filter(|(_, v)| !v.is_null()).collect();
    Value::Object(fields)
}

fn review_event(more: &Value) -> Value {
    with(json!({"review_id": "rev-1", "reviewer_id": "ana", "timestamp": "2026-01-13T09:00:00Z"}), more)
}

fn injection_event(more: &Value) -> Value {
    let event = json!({"injection_id": "inj-1", "agent": "coder", "session_id": "s-1",
        "timestamp": "2026-01-13T09:00:00Z", "rules": [{"rule_id": "RULE-2026-0001", "version": 2}],
        "held_out": ["RULE-2026-0002"], "base_hash": "b0", "prompt_hash": "b1"});
    with(event, more)
}

fn import_event(more: &Value) -> Value {
    let import = json!({"name": "AGENTS.md", "agents": ["coder"], "imported_by": "ana",
        "imported_at": "2026-01-13T09:00:00Z", "file_hash": "b2",
        "rules": [{"line": 3, "section": "Style", "text": "Use tabs."}, {"line": 4, "text": "Wrap at 100."}]});
    json!({"import": with(import, more)})
}

fn submission(entry: &RawEntry) -> Submission {
    match decode(entry, &DecodeLimits::default(), NOW) {
        Decoded::Submission(submission) => *submission,
        other => panic!("{other:?}"),
    }
}

fn review(entry: &RawEntry) -> Review {
    match submission(entry) {
        Submission::Review(review) => review,
        other => panic!("{other:?}"),
    }
}

fn refused(entry: &RawEntry) -> Rejection {
    match decode(entry, &DecodeLimits::default(), NOW) {
        Decoded::Rejected(rejection) => rejection,
        other => panic!("{other:?}"),
    }
}
