//! The outcome of a batch: for its commit, logs, metrics and summaries.

use super::timings::Timings;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::event::Rejection;
use crate::domain::records::message::Outgoing;
use crate::domain::records::record::Refusal;
use crate::pipeline::model::progress::Progress;
use crate::text::ids::CommitId;

/// The outcome of one entry.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryOutcome {
    /// A new decision was recorded under this feedback id.
    Recorded(String),
    /// The decision was already known.
    Duplicate(String),
    /// A valid review, an injection or an import was recorded.
    Submitted {
        /// The line's id.
        id: String,
        /// The effect, in words.
        effect: String,
    },
    /// A review was recorded but does not count, or an import was rejected.
    Refused {
        /// The review's id.
        id: String,
        /// The reason.
        refusal: Refusal,
    },
    /// An event of another channel was recorded and answered, under this id.
    Heard(String),
    /// The entry is not for this daemon.
    Ignored(&'static str),
    /// The entry becomes a dead letter.
    Rejected(Rejection),
}

/// Counts of a batch, for logs, metrics and summaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchCounts {
    /// New feedback by class, in the order of [`Classification::ALL`].
    pub by_class: [u64; 5],
    /// How many of these are comments of decisions.
    pub comments: u64,
    /// New decisions.
    pub recorded: u64,
    /// Known decisions.
    pub duplicates: u64,
    /// Entries that are not for this daemon.
    pub ignored: u64,
    /// Dead letters.
    pub rejected: u64,
    /// Earlier feedback whose class or cluster changed.
    pub reevaluated: u64,
    /// Ids of new proposals.
    pub proposals: Vec<String>,
    /// Clusters opened.
    pub clusters_opened: u64,
    /// Valid reviews, injections and imports.
    pub submitted: u64,
    /// Rejected reviews.
    pub refused: u64,
    /// New turns, refinements, actions and review documents.
    pub heard: [u64; 4],
    /// Turns judged.
    pub judged: u64,
    /// What happened to rules and what people taught, for the commit message.
    pub rule_events: Vec<String>,
}

/// A batch that is durable.
#[derive(Clone, Debug)]
pub struct ProcessedBatch {
    /// The previous head.
    pub previous: Option<CommitId>,
    /// The commit; `None` if nothing changed.
    pub commit: Option<CommitId>,
    /// The outcome of each entry, in order.
    pub outcomes: Vec<EntryOutcome>,
    /// Messages to publish for the commit.
    pub messages: Vec<Outgoing>,
    /// Counts.
    pub counts: BatchCounts,
    /// Where the time went.
    pub timings: Timings,
    /// Why the store's catalogue is not in use in its present form, one reason per line; empty if it is.
    pub catalogue_errors: Vec<String>,
    /// Why the roster file is invalid, if it is. The roster in force remains so.
    pub roster_error: Option<String>,
    /// The language model's progress, if there is one.
    pub model: Option<Progress>,
}

/// Counts the outcomes of entries.
pub(crate) fn count_outcomes(outcomes: &[EntryOutcome], counts: &mut BatchCounts) {
    for outcome in outcomes {
        match outcome {
            EntryOutcome::Recorded(_) => counts.recorded += 1,
            EntryOutcome::Duplicate(_) => counts.duplicates += 1,
            EntryOutcome::Ignored(_) => counts.ignored += 1,
            EntryOutcome::Rejected(_) => counts.rejected += 1,
            // Counted by the batch itself, since the commit message names them.
            EntryOutcome::Submitted { .. } | EntryOutcome::Refused { .. } | EntryOutcome::Heard(_) => {}
        }
    }
}

/// Returns the position of a class in [`Classification::ALL`].
pub fn class_index(class: Classification) -> usize {
    Classification::ALL.iter().position(|c| *c == class).unwrap_or_default()
}
