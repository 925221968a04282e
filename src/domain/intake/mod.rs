//! Intake: raw entries, their decoded form, and the feedback made from decisions.
//!
//! The input is the fields of a stream entry. The output is decisions, submissions, events of the channels, or the
//! reason why an entry is rejected; and one feedback for each decision, redacted and with its correction. Combining
//! feedback happens elsewhere. This module may depend on the leaves, `language` and `channels`.

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
