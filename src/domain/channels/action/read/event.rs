//! The shapes of an event, and the fields around its inferences.

use super::value::{self, Fields};
use crate::channels::action::result::{ActionKind, ActionResult, Confidence, GivenSuggestion, Problem, State};
use crate::timestamp;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How many inferences of an event are read.
pub const MAX_INFERENCES: usize = 50;

/// The value of `inference` if the publisher gives none.
pub const UNSPECIFIED: &str = "unspecified";

/// Substitutes for fields that an event lacks, such as the stream entry's id and time.
#[derive(Clone, Debug, Default)]
pub struct Fallback {
    /// For `action_id`.
    pub action_id: Option<String>,
    /// For `timestamp`.
    pub timestamp: Option<Timestamp>,
    /// For `session_id`.
    pub session_id: Option<String>,
    /// For `agent`.
    pub agent: Option<String>,
}

impl ActionResult {
    /// Reads an event that identifies itself. `now` is the local time.
    ///
    /// # Errors
    /// The first missing field without which no answer is possible: `action_id`, `timestamp`, `session_id`, `agent`,
    /// `type`.
    pub fn from_value(value: &Value, now: Timestamp) -> Result<Vec<ActionResult>, Problem> {
        ActionResult::from_value_or(value, &Fallback::default(), now)
    }

    /// Reads an event; missing fields are taken from `fallback`.
    ///
    /// # Errors
    /// As [`ActionResult::from_value`], for fields that the fallback lacks too.
    pub fn from_value_or(value: &Value, fallback: &Fallback, now: Timestamp) -> Result<Vec<ActionResult>, Problem> {
        let Value::Object(map) = value else {
            return Err(problem("event", &value::kind_of(value), "a JSON object"));
        };
        let mut outer = Fields::new(map);
        let Some(inferences) = outer.take("local_inferences") else {
            return Ok(vec![one(outer, fallback, now)?]);
        };
        let items = match value::structured(&inferences) {
            Value::Array(items) if !items.is_empty() => items,
            Value::Object(item) => vec![Value::Object(item)],
            other => {
                return Err(problem("local_inferences", &value::kind_of(&other), "a list with an object for each"));
            }
        };
        let mut results = Vec::new();
        for (index, item) in items.iter().take(MAX_INFERENCES).enumerate() {
            let Value::Object(inner) = item else {
                return Err(problem(&format!("local_inferences[{index}]"), &value::kind_of(item), "a JSON object"));
            };
            results.push(one(Fields::new(inner).around(map), fallback, now)?);
        }
        if results.len() > 1 {
            for (index, result) in results.iter_mut().enumerate() {
                result.part_of = Some(result.action_id.clone());
                result.action_id = format!("{}.{:02}", result.action_id, index + 1);
            }
        }
        if let (Some(last), true) = (results.last_mut(), items.len() > MAX_INFERENCES) {
            last.shortened.push("local_inferences".to_owned());
        }
        Ok(results)
    }
}

fn one(mut fields: Fields, fallback: &Fallback, now: Timestamp) -> Result<ActionResult, Problem> {
    let required = |name: &str, found: Option<String>, other: Option<&String>, would_pass: &str| {
        found.or_else(|| other.cloned()).ok_or_else(|| problem(name, "missing", would_pass))
    };
    let action_id = required("action_id", fields.name("action_id"), fallback.action_id.as_ref(), "the action's id")?;
    let timestamp = timestamp(&mut fields, fallback, now)?;
    let session_id = required("session_id", fields.name("session_id"), fallback.session_id.as_ref(), "a session's id")?;
    let agent = fields.name("agent").or_else(|| fields.name("agent_name"));
    let agent = required("agent", agent, fallback.agent.as_ref(), "the name of the agent that acted")?;
    let (kind, named) = kind(&mut fields)?;
    let inference = fields.name("inference").or(named).unwrap_or_else(|| UNSPECIFIED.to_owned());
    let state = state(&mut fields);
    let mut suggestions: Vec<GivenSuggestion> = Vec::new();
    for name in ["suggestions", "suggestion"] {
        suggestions.extend(fields.read(name, value::suggestions).unwrap_or_default());
    }
    suggestions.truncate(value::MAX_ITEMS);
    let action = fields.text("action").or_else(|| fields.text("approach")).or_else(|| fields.text("tool"));
    Ok(ActionResult {
        action_id,
        timestamp,
        session_id,
        agent,
        supervisor: fields.name("supervisor"),
        tenant_id: fields.name("tenant_id"),
        task_id: fields.name("task_id"),
        user_input: fields.text("user_input").unwrap_or_default(),
        kind,
        inference,
        action,
        confidence: fields.read("confidence", confidence),
        details: fields.text("details"),
        reason: fields.text("reason"),
        error: fields.text("error"),
        data: data(&mut fields),
        note: fields.text("note"),
        feedback: fields.text("feedback"),
        state,
        attempt: fields.read("attempt", attempt),
        suggestions,
        part_of: None,
        shortened: fields.shortened(),
        extra: fields.into_extra(),
    })
}

/// Reads the outcome, and the inference if the short form names it (specification, "Actions: Structured feedback").
fn kind(fields: &mut Fields) -> Result<(ActionKind, Option<String>), Problem> {
    const EXPECTED: &str = "action, action_failed or action_partial";
    if let Some(given) = fields.name("type") {
        let kind = match given.to_lowercase().replace(['-', ' '], "_").as_str() {
            "action" | "action_success" | "action_succeeded" | "success" | "succeeded" | "ok" => ActionKind::Success,
            "action_failed" | "action_failure" | "failed" | "failure" | "error" => ActionKind::Failed,
            "action_partial" | "partial" | "partial_success" => ActionKind::Partial,
            _ => return Err(problem("type", &format!("“{}”", value::line(&given)), EXPECTED)),
        };
        return Ok((kind, None));
    }
    for (name, kind) in [("action_failed", ActionKind::Failed), ("action_partial", ActionKind::Partial)] {
        if let Some(inference) = fields.name(name) {
            return Ok((kind, Some(inference)));
        }
    }
    // A specialised agent that only reports what went wrong (specification, "Actions: Several agents").
    if ["error", "reason", "feedback"].iter().any(|name| fields.has(name)) {
        return Ok((ActionKind::Failed, None));
    }
    Err(problem("type", "missing", EXPECTED))
}

fn timestamp(fields: &mut Fields, fallback: &Fallback, now: Timestamp) -> Result<Timestamp, Problem> {
    match fields.name("timestamp") {
        Some(text) => timestamp::parse(&text, now)
            .map_err(|error| problem("timestamp", &format!("“{}”", value::line(&text)), &error.to_string())),
        None => fallback.timestamp.ok_or_else(|| problem("timestamp", "missing", timestamp::EXPECTED)),
    }
}

/// Reads the state from `state`, `context`, or the fields themselves.
fn state(fields: &mut Fields) -> Option<State> {
    let object = |value: &Value| match value::structured(value) {
        Value::Object(map) => Some(map),
        _ => None,
    };
    let mut all = Map::new();
    let mut given = false;
    for name in ["state", "context"] {
        if let Some(map) = fields.read(name, object) {
            given = true;
            for (key, value) in map {
                all.entry(key).or_insert(value);
            }
        }
    }
    for name in ["active_case", "workflow_state", "available_tools", "recent_actions"] {
        if let Some(value) = fields.take(name) {
            given = true;
            all.entry(name).or_insert(value);
        }
    }
    if !given {
        return None;
    }
    let mut inner = Fields::new(&all);
    let state = State {
        active_case: inner.name("active_case"),
        workflow_state: inner.name("workflow_state"),
        available_tools: inner.read("available_tools", value::list),
        recent_actions: inner.read("recent_actions", value::list).unwrap_or_default(),
    };
    fields.note_shortened(inner.shortened());
    for (name, value) in inner.into_extra() {
        fields.keep(&format!("state.{name}"), value);
    }
    Some(state)
}

fn data(fields: &mut Fields) -> Option<BTreeMap<String, Value>> {
    let map = fields.read("data", |value| match value::structured(value) {
        Value::Object(map) => Some(map),
        _ => None,
    })?;
    let bytes = serde_json::to_string(&map).map_or(0, |text| text.len());
    if bytes <= value::MAX_DATA_BYTES {
        return Some(map.into_iter().collect());
    }
    fields.note_shortened(vec!["data".to_owned()]);
    // Lists are the usual cause: their length is worth keeping.
    let small = map.into_iter().take(value::MAX_ITEMS).map(|(name, value)| match value {
        Value::Array(items) => (value::line(&name), Value::from(format!("{} items, left out", items.len()))),
        Value::String(text) => (value::line(&name), Value::from(value::line(&text))),
        Value::Object(_) => (value::line(&name), Value::from("an object, left out")),
        other => (value::line(&name), other),
    });
    Some(small.collect())
}

fn confidence(value: &Value) -> Option<Confidence> {
    let text = value::scalar(value)?.trim().to_lowercase();
    match text.as_str() {
        "high" => Some(Confidence::High),
        "medium" => Some(Confidence::Medium),
        "low" => Some(Confidence::Low),
        number => match number.parse::<f64>().ok().filter(|p| (0.0..=1.0).contains(p))? {
            p if p >= 0.8 => Some(Confidence::High),
            p if p >= 0.5 => Some(Confidence::Medium),
            _ => Some(Confidence::Low),
        },
    }
}

fn attempt(value: &Value) -> Option<u32> {
    value::scalar(value)?.trim().parse().ok().filter(|n| (1..=10_000).contains(n))
}

fn problem(field: &str, found: &str, would_pass: &str) -> Problem {
    Problem { field: field.to_owned(), found: found.to_owned(), would_pass: would_pass.to_owned() }
}
