//! Raw stream entries into decisions, submissions, rejections or nothing (specification, "How an entry is encoded",
//! "Decisions", "The dispatcher's events" and "Reviews").
//!
//! The encoding is decided for each entry. A required field that cannot be read rejects the entry; an optional one of
//! a decision never does: its value is kept under `extra`. Decisions are redacted later, in `capture`; submissions
//! here, since nothing stands between them and their records. Nothing here looks anything up: the gate request of a
//! dispatcher event comes with the entry.

mod channel;
mod decoded;
mod dispatcher;
mod envelope;
mod fields;
mod json;
mod line;
mod notice;
mod review;
#[cfg(test)]
mod review_tests;
#[cfg(test)]
mod tests;

pub use decoded::Decoded;
pub use line::{REPLAY, from_json_line};

use crate::domain::ids::Gate;
use crate::domain::intake::event::{HitlDecision, RawEntry, RejectCode, Rejection, StreamKind};
use crate::domain::source::Source;
use crate::domain::verdict::Verdict;
use fields::Fields;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// What an entry may be like to be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeLimits {
    /// The most bytes all field names and values of an entry may have together.
    pub max_entry_bytes: usize,
    /// The tenant this daemon serves; where set, events that name another one are rejected.
    pub tenant: Option<String>,
}

impl Default for DecodeLimits {
    fn default() -> Self {
        DecodeLimits { max_entry_bytes: 1 << 20, tenant: None }
    }
}

/// The most characters an id that everything hangs on may have.
const MAX_ID_CHARS: usize = 512;

/// Reads one entry. Never panics, whatever the entry holds.
pub fn decode(entry: &RawEntry, limits: &DecodeLimits) -> Decoded {
    if entry.fields.is_empty() {
        return Decoded::Rejected(Rejection {
            code: RejectCode::EntryTrimmed,
            field: None,
            message: format!(
                "The entry {} was trimmed from {} before it was processed; its content is lost.",
                fields::shown(&entry.id),
                fields::shown(&entry.stream)
            ),
        });
    }
    if entry.fields.iter().any(|(name, _)| name == "_init") {
        return Decoded::Ignored("placeholder");
    }
    let decoded = match entry.kind {
        StreamKind::HitlDecisions => decision(entry, limits).map(|d| Decoded::Decision(Box::new(d))),
        StreamKind::Dispatcher => dispatcher::decode(entry, limits),
        StreamKind::MetaHitl => review::decode(entry, limits).map(|s| Decoded::Submission(Box::new(s))),
        StreamKind::Turns | StreamKind::Refinements | StreamKind::ActionResults | StreamKind::IterationFeedback => {
            channel::decode(entry, limits).map(|event| Decoded::Channel(Box::new(event)))
        }
    };
    decoded.unwrap_or_else(Decoded::Rejected)
}

/// Takes from `other`, the same decision as it arrived on another stream, whatever `decision` lacks. What
/// `decision` has stays as it is; doing it again changes nothing.
pub fn fill_missing(decision: &mut HitlDecision, other: &HitlDecision) {
    fn text(to: &mut Option<String>, from: &Option<String>) {
        if to.as_deref().is_none_or(str::is_empty) && from.as_deref().is_some_and(|t| !t.is_empty()) {
            to.clone_from(from);
        }
    }
    text(&mut decision.epic_id, &other.epic_id);
    text(&mut decision.task_id, &other.task_id);
    text(&mut decision.session_id, &other.session_id);
    text(&mut decision.agent_output_sha, &other.agent_output_sha);
    text(&mut decision.approved_output_sha, &other.approved_output_sha);
    text(&mut decision.agent, &other.agent);
    text(&mut decision.reviewer_comment, &other.reviewer_comment);
    text(&mut decision.correction_summary, &other.correction_summary);
    text(&mut decision.correction_diff, &other.correction_diff);
    text(&mut decision.correction_diff_path, &other.correction_diff_path);
    text(&mut decision.tenant_id, &other.tenant_id);
    decision.review_duration_seconds = decision.review_duration_seconds.or(other.review_duration_seconds);
    decision.severity = decision.severity.or(other.severity);
    decision.consider_for_improvement = decision.consider_for_improvement.or(other.consider_for_improvement);
    if decision.tags.is_empty() {
        decision.tags.clone_from(&other.tags);
    }
    for (name, value) in &other.extra {
        decision.extra.entry(name.clone()).or_insert_with(|| value.clone());
    }
}

/// One HITL decision (specification, "Decisions").
fn decision(entry: &RawEntry, limits: &DecodeLimits) -> Result<HitlDecision, Rejection> {
    check_size(entry, limits)?;
    let mut fields = envelope::unpack(entry, |entry| has_field(entry, "decision_id"))?;
    // All required fields first: a decision that is rejected for its gate should not hide behind its tags.
    let decision_id = fields.required_id("decision_id")?;
    let gate_id = fields.required("gate_id", "HITL-<n> or hitl_<n>_<name>")?;
    let gate = parse_gate("gate_id", &gate_id)?;
    let verdict = parse_verdict(&fields.required("decision", VERDICTS)?)?;
    let reviewer_id = fields.required_id("reviewer_id")?;
    let timestamp = fields.required_time("timestamp")?;
    let tenant_id = fields.text("tenant_id");
    check_tenant(tenant_id.as_deref(), limits)?;
    Ok(HitlDecision {
        decision_id,
        gate_id,
        gate,
        epic_id: fields.text("epic_id"),
        task_id: fields.text("task_id"),
        session_id: fields.text("session_id"),
        verdict,
        reviewer_id,
        timestamp,
        review_duration_seconds: fields.seconds("review_duration_seconds"),
        agent_output_sha: fields.text("agent_output_sha"),
        approved_output_sha: fields.text("approved_output_sha"),
        agent: fields.agent(),
        reviewer_comment: fields.text("reviewer_comment"),
        correction_summary: fields.text("correction_summary"),
        correction_diff: fields.text("correction_diff"),
        correction_diff_path: fields.text("correction_diff_path"),
        severity: fields.severity("severity"),
        consider_for_improvement: fields.flag("consider_for_improvement"),
        tenant_id,
        tags: fields.list("tags"),
        extra: fields.into_extra(),
        source: source(entry),
    })
}

fn source(entry: &RawEntry) -> Source {
    Source { stream: entry.stream.clone(), entry_id: entry.id.clone() }
}

fn has_field(entry: &RawEntry, name: &str) -> bool {
    entry.fields.iter().any(|(n, value)| n == name && !fields::is_null_text(&String::from_utf8_lossy(value)))
}

fn check_size(entry: &RawEntry, limits: &DecodeLimits) -> Result<(), Rejection> {
    let total: usize = entry.fields.iter().map(|(name, value)| name.len() + value.len()).sum();
    if total <= limits.max_entry_bytes {
        return Ok(());
    }
    let largest = entry.fields.iter().max_by_key(|(_, value)| value.len()).map(|(name, _)| name.clone());
    let named = largest.as_deref().map(|n| format!(", most of it in `{}`", fields::shown(n))).unwrap_or_default();
    Err(Rejection {
        code: RejectCode::TooLarge,
        field: largest,
        message: format!("The entry has {total} bytes{named}; at most {} are accepted.", limits.max_entry_bytes),
    })
}

fn check_tenant(found: Option<&str>, limits: &DecodeLimits) -> Result<(), Rejection> {
    match (found, limits.tenant.as_deref()) {
        (Some(found), Some(own)) if found != own => Err(Rejection {
            code: RejectCode::TenantMismatch,
            field: Some("tenant_id".into()),
            message: format!(
                "`tenant_id` is {}, but this daemon serves {}; publish it under that tenant's own key.",
                fields::quoted(found),
                fields::quoted(own)
            ),
        }),
        _ => Ok(()),
    }
}

fn parse_gate(field: &str, text: &str) -> Result<Gate, Rejection> {
    Gate::parse(text)
        .ok_or_else(|| fields::invalid(field, &fields::quoted(text), "a gate such as HITL-2 or hitl_2_design"))
}

const VERDICTS: &str = "APPROVED, REJECTED or APPROVED_WITH_CHANGES";

fn parse_verdict(text: &str) -> Result<Verdict, Rejection> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_ascii_alphabetic()).filter(|w| !w.is_empty()).map(str::to_ascii_lowercase).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["approved" | "approve"] => Ok(Verdict::Approved),
        ["rejected" | "reject"] => Ok(Verdict::Rejected),
        ["approved" | "approve", "with", "changes" | "change"] => Ok(Verdict::ApprovedWithChanges),
        _ => Err(fields::invalid("decision", &fields::quoted(text), VERDICTS)),
    }
}

const TIMESTAMP: &str = "a date and time such as 2026-01-12T10:00:00Z (RFC 3339; without an offset it is UTC)";

fn parse_timestamp(field: &str, text: &str) -> Result<Timestamp, Rejection> {
    let text = text.trim();
    let wrong = |found: String| fields::invalid(field, &found, TIMESTAMP);
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+')) {
        return Err(wrong(format!("the number or bare date {}", fields::quoted(text))));
    }
    // A date alone would silently become midnight.
    if !text.get(10..11).is_some_and(|t| matches!(t, "T" | "t" | " ")) {
        return Err(wrong(fields::quoted(text)));
    }
    let parsed = text
        .parse::<Timestamp>()
        .or_else(|_| text.parse::<DateTime>().and_then(|d| d.to_zoned(TimeZone::UTC)).map(|z| z.timestamp()));
    match parsed {
        // The date becomes a path; a year before 1970 is the zero value of some other program.
        Ok(time) if time.as_second() >= 0 => Ok(time),
        _ => Err(wrong(fields::quoted(text))),
    }
}

/// Refuses an id that is too long to be one.
fn check_id(field: &str, id: &str) -> Result<(), Rejection> {
    let chars = id.chars().count();
    if chars > MAX_ID_CHARS {
        return Err(fields::invalid(field, &format!("{chars} characters long"), "at most 512 characters"));
    }
    Ok(())
}

impl Fields {
    /// A required field of which everything else hangs.
    fn required_id(&mut self, name: &str) -> Result<String, Rejection> {
        let id = self.required(name, "a text that is not empty")?;
        check_id(name, &id)?;
        Ok(id)
    }

    /// A required date and time.
    fn required_time(&mut self, name: &str) -> Result<Timestamp, Rejection> {
        parse_timestamp(name, &self.required(name, TIMESTAMP)?)
    }
}
