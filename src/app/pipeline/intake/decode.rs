//! Decodes raw entries and sorts them by how they are processed. Each keeps its position, for its outcome.

use crate::domain::channels::channel::ChannelEvent;
use crate::domain::intake::decode::{DecodeLimits, Decoded, decode};
use crate::domain::intake::event::{HitlDecision, RawEntry, Rejection};
use crate::domain::intake::submission::Submission;
use crate::pipeline::batch::outcome::EntryOutcome;
use jiff::Timestamp;

/// Outcomes of entries, by position.
pub(crate) type Outcomes = Vec<(usize, EntryOutcome)>;

/// The entries of a batch, by kind.
pub(crate) struct Incoming<'e> {
    pub entries: &'e [RawEntry],
    pub decisions: Vec<(usize, HitlDecision)>,
    pub events: Vec<(usize, ChannelEvent)>,
    pub submissions: Vec<(usize, Submission)>,
    pub rejected: Vec<(usize, Rejection)>,
    /// Entries that are not for this daemon.
    pub ignored: Outcomes,
}

impl<'e> Incoming<'e> {
    /// Decodes entries. `now` is the local clock's time.
    pub fn decode(entries: &'e [RawEntry], limits: &DecodeLimits, now: Timestamp) -> Incoming<'e> {
        let mut incoming = Incoming {
            entries,
            decisions: Vec::new(),
            events: Vec::new(),
            submissions: Vec::new(),
            rejected: Vec::new(),
            ignored: Vec::new(),
        };
        for (place, entry) in entries.iter().enumerate() {
            match decode(entry, limits, now) {
                Decoded::Decision(decision) => incoming.decisions.push((place, *decision)),
                Decoded::Channel(event) => incoming.events.push((place, *event)),
                Decoded::Submission(submission) => incoming.submissions.push((place, *submission)),
                Decoded::Rejected(rejection) => incoming.rejected.push((place, rejection)),
                Decoded::Ignored(why) => incoming.ignored.push((place, EntryOutcome::Ignored(why))),
            }
        }
        incoming
    }
}
