//! An entry of any stream: which reader it goes to. What no reader can understand is a rejection.

use super::decision::decision;
use super::decoded::Decoded;
use super::fields::{self};
use super::limits::DecodeLimits;
use super::{channel, dispatcher, review};
use crate::domain::intake::event::{RawEntry, RejectCode, Rejection, StreamKind};

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
