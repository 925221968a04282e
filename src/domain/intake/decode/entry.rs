//! Dispatches an entry of any stream to its reader. Entries that no reader understands are rejected.

use super::decision::decision;
use super::decoded::Decoded;
use super::fields::{self};
use super::limits::{DecodeLimits, too_large};
use super::{channel, dispatcher, review};
use crate::intake::event::{RawEntry, RejectCode, Rejection, StreamKind};
use jiff::Timestamp;

/// Decodes one entry. Never panics, whatever the entry holds. `now` is the local clock: no event may claim to be from
/// much later (specification, "How an entry is encoded").
pub fn decode(entry: &RawEntry, limits: &DecodeLimits, now: Timestamp) -> Decoded {
    if entry.fields.is_empty() {
        return Decoded::Rejected(trimmed(entry));
    }
    if entry.oversize.is_some() {
        return Decoded::Rejected(too_large(entry, limits));
    }
    if entry.fields.iter().any(|(name, _)| name == "_init") {
        return Decoded::Ignored("placeholder");
    }
    let decoded = match entry.kind {
        StreamKind::HitlDecisions => decision(entry, limits, now).map(|d| Decoded::Decision(Box::new(d))),
        StreamKind::Dispatcher => dispatcher::decode(entry, limits, now),
        StreamKind::MetaHitl => review::decode(entry, limits, now).map(|s| Decoded::Submission(Box::new(s))),
        StreamKind::Turns | StreamKind::Refinements | StreamKind::ActionResults | StreamKind::IterationFeedback => {
            channel::decode(entry, limits, now).map(|event| Decoded::Channel(Box::new(event)))
        }
    };
    decoded.unwrap_or_else(Decoded::Rejected)
}

/// Rejects trimmed entries: one entry, or many unread ones of which only the number is known.
fn trimmed(entry: &RawEntry) -> Rejection {
    let stream = fields::shown(&entry.stream);
    let what = match entry.id.split_once('+') {
        Some((after, count)) => format!(
            "{} entries after {} were trimmed from {stream} before they were read; their content is lost",
            fields::shown(count),
            fields::shown(after)
        ),
        None => format!(
            "The entry {} was trimmed from {stream} before it was processed; its content is lost",
            fields::shown(&entry.id)
        ),
    };
    let message = format!("{what}; increase the stream's MAXLEN.");
    Rejection { code: RejectCode::EntryTrimmed, field: None, message }
}
