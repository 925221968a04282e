//! Entries of the four channels other than gate decisions (specification, "Streams in"): turns, refinements, action
//! results and review documents.
//!
//! All fields are cleaned here, including names and ids: these channels are stored as read.

use super::envelope;
use super::fields::{Fields, invalid, quoted};
use super::limits::{DecodeLimits, check_id, check_shape, check_size, check_tenant, has_field, source};
use super::values::parse_timestamp;
use crate::channels::action::{ActionResult, Fallback, Problem};
use crate::channels::channel::{ChannelEvent, Iteration, Refinement, Turn};
use crate::channels::iteration;
use crate::channels::iteration::{Document, Level};
use crate::channels::turn::TurnEvent;
use crate::intake::event::{RawEntry, RejectCode, Rejection, StreamKind};
use crate::source::entry_time;
use crate::text::prose::line;
use crate::timestamp;
use jiff::Timestamp;
use serde_json::{Map, Value};

/// Characters kept of a turn's texts.
const MAX_TEXT: usize = 20_000;
/// Number of findings named in a rejected document's dead letter.
const NAMED: usize = 10;

/// Decodes one entry of a channel.
pub(super) fn decode(entry: &RawEntry, limits: &DecodeLimits, now: Timestamp) -> Result<ChannelEvent, Rejection> {
    check_size(entry, limits)?;
    let mark = match entry.kind {
        StreamKind::Turns => "turn_id",
        StreamKind::Refinements => "original_prompt",
        StreamKind::ActionResults => "action_id",
        _ => "feedback_items",
    };
    let fields = envelope::unpack(entry, limits, |entry| has_field(entry, mark))?;
    check_shape(&fields, limits)?;
    let fields = fields.tidied();
    match entry.kind {
        StreamKind::Turns => turn(entry, fields, limits, now),
        StreamKind::Refinements => refinement(entry, fields, limits, now),
        StreamKind::ActionResults => actions(entry, fields, limits, now),
        _ => iteration(entry, fields, limits, now),
    }
}

/// Returns the fields as one JSON object. Flat fields that hold JSON are parsed.
fn object(fields: Fields) -> Map<String, Value> {
    let structured = |value: Value| match &value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    };
    let values = fields.into_extra().into_iter();
    values.map(|(name, value)| (name, structured(value))).collect()
}

fn turn(
    entry: &RawEntry,
    mut fields: Fields,
    limits: &DecodeLimits,
    now: Timestamp,
) -> Result<ChannelEvent, Rejection> {
    let (turn_id, session_id) = (fields.required_id("turn_id")?, fields.required_id("session_id")?);
    let timestamp = fields.required_time("timestamp", now)?;
    let said = ["user_message", "query", "text"].into_iter().find_map(|name| fields.text(name));
    let user_message = said.ok_or_else(|| super::fields::missing("user_message", "what the user said"))?;
    let agent = fields.agent();
    let quality = number(&mut fields, "quality_score")?;
    let mut values = object(fields);
    check_tenant(values.get("tenant_id").and_then(Value::as_str), limits)?;
    let put = |values: &mut Map<String, Value>, name: &str, value: Value| values.insert(name.to_owned(), value);
    put(&mut values, "turn_id", turn_id.into());
    put(&mut values, "session_id", session_id.into());
    put(&mut values, "timestamp", timestamp.to_string().into());
    put(&mut values, "user_message", user_message.into());
    if let Some(agent) = agent {
        put(&mut values, "agent", agent.into());
    }
    if let Some(quality) = quality {
        put(&mut values, "quality_score", quality.into());
    }
    if let Some(Value::String(name)) = values.get("strategy") {
        let strategy = serde_json::json!({ "name": name });
        put(&mut values, "strategy", strategy);
    }
    let mut event: TurnEvent = serde_path_to_error::deserialize(Value::Object(values)).map_err(unreadable)?;
    for text in [&mut event.user_message, &mut event.response] {
        *text = shortened(text);
    }
    Ok(ChannelEvent::Turn(Box::new(Turn { event, source: source(entry) })))
}

fn refinement(
    entry: &RawEntry,
    mut fields: Fields,
    limits: &DecodeLimits,
    now: Timestamp,
) -> Result<ChannelEvent, Rejection> {
    const PROMPT: &str = "the prompt that led to the failing output";
    let prompt = fields.text("prompt");
    let original_prompt = match fields.text("original_prompt").or(prompt) {
        Some(prompt) => prompt,
        None => return Err(super::fields::missing("original_prompt", PROMPT)),
    };
    let said =
        ["feedback", "feedback_text", "feedback_signal", "output"].into_iter().find_map(|name| fields.text(name));
    let feedback =
        said.ok_or_else(|| super::fields::missing("feedback", "what was said or printed about the output"))?;
    // An event without an id uses its entry's.
    let named = ["refinement_id", "id"].into_iter().find_map(|name| fields.text(name));
    let refinement_id = named.unwrap_or_else(|| entry.id.clone());
    check_id("refinement_id", &refinement_id)?;
    let timestamp = match fields.text("timestamp") {
        Some(text) => parse_timestamp("timestamp", &text, now)?,
        None => entry_time(&entry.id).min(now),
    };
    let whole = |number: Option<f64>| number.map(|n| n.round());
    let iteration = whole(number(&mut fields, "iteration")?).filter(|n| (1.0..1e6).contains(n));
    let exit_code = whole(number(&mut fields, "exit_code")?).filter(|n| n.abs() < 1e9);
    let tenant_id = fields.text("tenant_id");
    check_tenant(tenant_id.as_deref(), limits)?;
    Ok(ChannelEvent::Refinement(Box::new(Refinement {
        refinement_id,
        timestamp,
        original_prompt,
        feedback,
        done: iteration.map_or(0, |n| n as u32 - 1),
        success: fields.flag("success"),
        exit_code: exit_code.map(|n| n as i32),
        tool: fields.text("tool"),
        report: fields.text("report"),
        from_user: fields.flag("from_user"),
        agent: fields.agent(),
        user_id: fields.text("user_id"),
        session_id: fields.text("session_id"),
        task_id: fields.text("task_id"),
        tenant_id,
        source: source(entry),
    })))
}

fn actions(entry: &RawEntry, fields: Fields, limits: &DecodeLimits, now: Timestamp) -> Result<ChannelEvent, Rejection> {
    let value = Value::Object(object(fields));
    check_tenant(value.get("tenant_id").and_then(Value::as_str), limits)?;
    let fallback = Fallback {
        action_id: Some(entry.id.clone()),
        timestamp: Some(entry_time(&entry.id).min(now)),
        ..Fallback::default()
    };
    let results = ActionResult::from_value_or(&value, &fallback, now).map_err(|problem| {
        let Problem { field, found, would_pass } = problem;
        invalid(&field, &found, &would_pass)
    })?;
    Ok(ChannelEvent::Actions(results, source(entry)))
}

fn iteration(
    entry: &RawEntry,
    mut fields: Fields,
    limits: &DecodeLimits,
    now: Timestamp,
) -> Result<ChannelEvent, Rejection> {
    let tenant_id = fields.text("tenant_id");
    check_tenant(tenant_id.as_deref(), limits)?;
    let agent = fields.agent();
    let reviewer_id = ["reviewer_id", "reviewer"].into_iter().find_map(|name| fields.text(name));
    let value = Value::Object(object(fields));
    let findings = iteration::check(&value);
    if iteration::is_refused(&findings) {
        let errors: Vec<_> = findings.iter().filter(|f| f.level == Level::Error).collect();
        let named: Vec<String> = errors.iter().take(NAMED).map(|finding| finding.to_string()).collect();
        let more = errors.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" And {more} more.") } else { String::new() };
        return Err(Rejection {
            code: RejectCode::InvalidDocument,
            field: errors.first().map(|finding| finding.path.clone()),
            message: format!("The document was rejected: {}.{more}", named.join("; ")),
        });
    }
    let document = Document::of(&value).map_err(|findings| Rejection {
        code: RejectCode::InvalidDocument,
        field: findings.first().map(|finding| finding.path.clone()),
        message: findings.first().map(ToString::to_string).unwrap_or_default(),
    })?;
    check_id("id", &document.id)?;
    timestamp::within_bounds(document.timestamp, now)
        .map_err(|error| invalid("timestamp", &quoted(&document.timestamp.to_string()), &error.to_string()))?;
    let warnings = findings.iter().map(ToString::to_string).collect();
    let source = source(entry);
    Ok(ChannelEvent::Iteration(Box::new(Iteration {
        value,
        document,
        warnings,
        agent,
        reviewer_id,
        tenant_id,
        source,
    })))
}

/// Reads an optional number; flat fields hold its text.
fn number(fields: &mut Fields, name: &str) -> Result<Option<f64>, Rejection> {
    let Some(text) = fields.text(name) else { return Ok(None) };
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Some(number)),
        _ => Err(invalid(name, &quoted(&text), "a number")),
    }
}

/// Describes what is wrong, and where: a missing field belongs to the object that the path names.
fn unreadable(error: serde_path_to_error::Error<serde_json::Error>) -> Rejection {
    let path = error.path().to_string();
    let at = if path == "." { String::new() } else { format!(" at `{path}`") };
    let shape = if path.starts_with("strategy") {
        " `strategy` is a name, or an object with `name` and, if there was one, `query`."
    } else {
        ""
    };
    Rejection {
        code: RejectCode::InvalidField,
        field: Some(path.split(['.', '[']).next().unwrap_or_default().to_owned()).filter(|field| !field.is_empty()),
        message: format!("The turn cannot be read{at}: {}.{shape}", line(&error.inner().to_string(), 200)),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{} […]", &text[..cut]),
    }
}
