//! Lines of a JSON-lines file as stream entries, for a replay from history.
//!
//! A line is an event (a decision or a submission) as an object, or an exported entry `{"stream": …, "fields": {…}}`;
//! either may carry a `gate_request` object in place of Redis. A line that is neither becomes an entry that `decode`
//! rejects.

use super::limits::DecodeLimits;
use super::{envelope, json, review};
use crate::intake::event::{GateRequest, RawEntry, StreamKind};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The stream name for everything read from a file.
pub const REPLAY: &str = "replay";

/// Creates the entry on a line; `number` counts from 1 and becomes its id. Never fails: errors are reported when the
/// entry is decoded. The caller skips blank lines.
pub fn from_json_line(line: &str, number: u64, limits: &DecodeLimits) -> RawEntry {
    let whole = RawEntry {
        stream: REPLAY.into(),
        kind: StreamKind::HitlDecisions,
        id: number.to_string(),
        fields: vec![("json".into(), line.trim().as_bytes().to_vec())],
        gate_request: None,
        oversize: None,
    };
    // Larger lines are rejected by size without parsing.
    if line.len() > limits.max_entry_bytes {
        return whole;
    }
    let Ok(Value::Object(mut object)) = json::parse(line.trim()) else { return whole };
    let gate_request = match object.shift_remove("gate_request") {
        Some(Value::Object(request)) => Some(GateRequest::Found(texts(request))),
        _ => None,
    };
    let Some(Value::Object(exported)) = object.get("fields") else {
        let kind = kind_of_event(&object);
        let fields = match gate_request {
            Some(_) => vec![("json".into(), Value::Object(object).to_string().into_bytes())],
            None => whole.fields,
        };
        return RawEntry { kind, fields, gate_request, ..whole };
    };
    let stream = object.get("stream").and_then(Value::as_str).unwrap_or_default();
    let kind = match stream {
        s if s.ends_with("meta_hitl_decisions") => StreamKind::MetaHitl,
        s if s.ends_with("hitl_decisions") => StreamKind::HitlDecisions,
        s if s.ends_with("asdlc:events:turns") => StreamKind::Turns,
        s if s.ends_with("asdlc:events:refinements") => StreamKind::Refinements,
        s if s.ends_with("asdlc:events:action_results") => StreamKind::ActionResults,
        s if s.ends_with("asdlc:events:iteration_feedback") => StreamKind::IterationFeedback,
        s if s.ends_with("asdlc:events") => StreamKind::Dispatcher,
        _ => kind_of_event(exported),
    };
    let fields = exported.iter().map(|(name, value)| (name.clone(), text(value).into_bytes())).collect();
    RawEntry { kind, fields, gate_request, ..whole }
}

fn kind_of_event(event: &Map<String, Value>) -> StreamKind {
    kind_told_by(event, 2).unwrap_or(StreamKind::HitlDecisions)
}

/// Returns the kind implied by an event's fields, or by those of a nested event: a payload, and in that the data of an
/// envelope.
fn kind_told_by(event: &Map<String, Value>, levels: u32) -> Option<StreamKind> {
    match event.get("event_type").and_then(Value::as_str) {
        Some(t) if t.trim().to_ascii_lowercase().starts_with("gate_") => return Some(StreamKind::Dispatcher),
        _ if event.contains_key("decision_id") => return Some(StreamKind::HitlDecisions),
        _ if review::is_submission(event) => return Some(StreamKind::MetaHitl),
        _ if event.contains_key("feedback_items") => return Some(StreamKind::IterationFeedback),
        _ if event.contains_key("turn_id") => return Some(StreamKind::Turns),
        _ if event.contains_key("original_prompt") => return Some(StreamKind::Refinements),
        _ if event.contains_key("action_id") || event.contains_key("local_inferences") => {
            return Some(StreamKind::ActionResults);
        }
        _ if levels == 0 => return None,
        _ => {}
    }
    envelope::PAYLOAD_FIELDS.iter().find_map(|name| match event.get(*name)? {
        Value::Object(inner) => kind_told_by(inner, levels - 1),
        Value::String(text) => kind_told_by(&json::object(name, text).ok()?, levels - 1),
        _ => None,
    })
}

fn texts(object: Map<String, Value>) -> BTreeMap<String, String> {
    object.into_iter().map(|(name, value)| (name, text(&value))).collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
