//! Values shared by several readers: gates, verdicts, ids, timestamps.

use super::fields::{self, Fields};
use super::limits::check_id;
use crate::intake::event::Rejection;
use crate::text::ids::Gate;
use crate::text::verdict::Verdict;
use crate::timestamp;
use crate::timestamp::TimestampError;
use jiff::Timestamp;

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

/// Parses a date and time. `now` is the local clock.
pub(super) fn parse_timestamp(field: &str, text: &str, now: Timestamp) -> Result<Timestamp, Rejection> {
    timestamp::parse(text, now).map_err(|error| {
        let bare = if error == TimestampError::Bare { "the number or bare date " } else { "" };
        fields::invalid(field, &format!("{bare}{}", fields::quoted(text.trim())), &error.to_string())
    })
}

impl Fields {
    /// Takes a required identifying field.
    pub(super) fn required_id(&mut self, name: &str) -> Result<String, Rejection> {
        let id = self.required(name, "a non-empty text")?;
        check_id(name, &id)?;
        Ok(id)
    }

    /// Takes an optional date and time; an unreadable or out-of-bounds value is kept.
    pub(super) fn time(&mut self, name: &str, now: Timestamp) -> Option<Timestamp> {
        let text = self.text(name)?;
        let found = timestamp::parse(&text, now).ok();
        if found.is_none() {
            self.keep(name, text.into());
        }
        found
    }

    /// Takes a required date and time.
    pub(super) fn required_time(&mut self, name: &str, now: Timestamp) -> Result<Timestamp, Rejection> {
        parse_timestamp(name, &self.required(name, timestamp::EXPECTED)?, now)
    }
}
