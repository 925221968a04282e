//! What comes in: raw entries, what they are read as, and the feedback made of decisions.
//!
//! In come the fields of a stream's entry. Out go decisions, submissions, events of the channels, or the reason why an
//! entry is refused; and of each decision a feedback, redacted and with its correction. What a feedback means together
//! with others is not asked here. This room may look into the leaves, `language` and `channels`.

pub mod capture;
pub mod comment;
pub mod decode;
pub mod demand;
pub mod diff;
pub mod event;
pub mod feedback;
pub mod forge;
pub mod place;
pub mod sides;
pub mod submission;
pub mod traceparent;
pub mod voice;
pub mod words;
