//! Values that several readers share: gates, verdicts, ids, moments.

use super::fields::{self, Fields};
use super::limits::check_id;
use crate::domain::ids::Gate;
use crate::domain::intake::event::Rejection;
use crate::domain::verdict::Verdict;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

pub(super) fn parse_gate(field: &str, text: &str) -> Result<Gate, Rejection> {
    Gate::parse(text)
        .ok_or_else(|| fields::invalid(field, &fields::quoted(text), "a gate such as HITL-2 or hitl_2_design"))
}

pub(super) const VERDICTS: &str = "APPROVED, REJECTED or APPROVED_WITH_CHANGES";

pub(super) fn parse_verdict(text: &str) -> Result<Verdict, Rejection> {
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

pub(super) fn parse_timestamp(field: &str, text: &str) -> Result<Timestamp, Rejection> {
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

impl Fields {
    /// A required field of which everything else hangs.
    pub(super) fn required_id(&mut self, name: &str) -> Result<String, Rejection> {
        let id = self.required(name, "a text that is not empty")?;
        check_id(name, &id)?;
        Ok(id)
    }

    /// An optional date and time; one that cannot be read is kept as it was.
    pub(super) fn time(&mut self, name: &str) -> Option<Timestamp> {
        let text = self.text(name)?;
        let found = parse_timestamp(name, &text).ok();
        if found.is_none() {
            self.keep(name, text.into());
        }
        found
    }

    /// A required date and time.
    pub(super) fn required_time(&mut self, name: &str) -> Result<Timestamp, Rejection> {
        parse_timestamp(name, &self.required(name, TIMESTAMP)?)
    }
}
