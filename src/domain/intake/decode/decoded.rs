//! The result of decoding a raw entry.

use crate::channels::channel::ChannelEvent;
use crate::intake::event::{HitlDecision, Rejection};
use crate::intake::submission::Submission;

/// The result of decoding a raw entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// A decision to record.
    Decision(Box<HitlDecision>),
    /// A review, a notification or an import.
    Submission(Box<Submission>),
    /// An event of a channel other than the gates'.
    Channel(Box<ChannelEvent>),
    /// A placeholder or an unrelated event: acknowledged and dropped.
    Ignored(&'static str),
    /// It could not be decoded; it becomes a dead letter.
    Rejected(Rejection),
}
