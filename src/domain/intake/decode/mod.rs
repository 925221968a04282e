//! Decodes raw stream entries into decisions, submissions, rejections or nothing (specification, "How an entry is
//! encoded", "Decisions", "The dispatcher's events" and "Reviews").
//!
//! The encoding is determined per entry. A required field that cannot be read rejects the entry; an optional field of a
//! decision never does: its value is kept under `extra`. Comments are the exception, since their demands would be lost
//! silently. Decisions are redacted later, in `capture`; submissions are redacted here, since they go straight into
//! records. Nothing is looked up here: the gate request of a dispatcher event comes with the entry.

mod channel;
mod comments;
mod decision;
mod decoded;
mod dispatcher;
mod entry;
mod envelope;
mod fields;
mod json;
mod limits;
mod line;
mod program_submission;
mod review;
#[cfg(test)]
mod review_tests;
mod submission_fields;
#[cfg(test)]
mod tests;
mod values;

pub use decision::{fill_missing, fill_text};
pub use decoded::Decoded;
pub use dispatcher::GATE_REQUEST_FIELDS;
pub use entry::decode;
pub use limits::DecodeLimits;
pub use line::{REPLAY, from_json_line};
