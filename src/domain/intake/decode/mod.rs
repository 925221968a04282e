//! Raw stream entries into decisions, submissions, rejections or nothing (specification, "How an entry is encoded",
//! "Decisions", "The dispatcher's events" and "Reviews").
//!
//! The encoding is decided for each entry. A required field that cannot be read rejects the entry; an optional one of
//! a decision never does: its value is kept under `extra`. Comments are the exception, since what they ask for would be
//! lost without a word. Decisions are redacted later, in `capture`; submissions
//! here, since nothing stands between them and their records. Nothing here looks anything up: the gate request of a
//! dispatcher event comes with the entry.

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
