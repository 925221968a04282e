//! Raw entries are decoded, and sorted by what is to be done with them. Each keeps its place, for its outcome.

use crate::domain::channels::channel::ChannelEvent;
use crate::domain::intake::decode::{DecodeLimits, Decoded, decode};
use crate::domain::intake::event::{HitlDecision, RawEntry, Rejection};
use crate::domain::intake::submission::Submission;
use crate::pipeline::batch::outcome::EntryOutcome;
use jiff::Timestamp;

/// What became of entries, by their places.
pub(crate) type Outcomes = Vec<(usize, EntryOutcome)>;

/// The entries of a batch, by what they are.
pub(crate) struct Incoming<'e> {
    pub entries: &'e [RawEntry],
    pub decisions: Vec<(usize, HitlDecision)>,
    pub events: Vec<(usize, ChannelEvent)>,
    pub submissions: Vec<(usize, Submission)>,
    pub rejected: Vec<(usize, Rejection)>,
    /// Those that do not concern us.
    pub ignored: Outcomes,
}

impl<'e> Incoming<'e> {
    /// Decodes entries. `now` is what the clock here says.
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
