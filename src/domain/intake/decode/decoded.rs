//! What a raw entry turned out to be.

use crate::channels::channel::ChannelEvent;
use crate::intake::event::{HitlDecision, Rejection};
use crate::intake::submission::Submission;

/// What a raw entry turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// A decision to record.
    Decision(Box<HitlDecision>),
    /// A review, a notice or an import.
    Submission(Box<Submission>),
    /// What came on another channel than the gates'.
    Channel(Box<ChannelEvent>),
    /// A placeholder, or an event that does not concern us: acknowledged and dropped.
    Ignored(&'static str),
    /// It cannot be understood; it becomes a dead letter.
    Rejected(Rejection),
}
