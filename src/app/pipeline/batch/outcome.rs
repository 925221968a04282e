//! What became of a batch: for its commit, for logs, metrics and summaries.

use super::timings::Timings;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::event::Rejection;
use crate::domain::records::message::Outgoing;
use crate::domain::records::record::Refusal;
use crate::pipeline::model::progress::Progress;
use crate::text::ids::CommitId;

/// What became of one entry.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryOutcome {
    /// A new decision was recorded under this feedback id.
    Recorded(String),
    /// The decision was known.
    Duplicate(String),
    /// A review that counts, an injection or an import was recorded.
    Submitted {
        /// Its id.
        id: String,
        /// What followed, in words.
        effect: String,
    },
    /// A review was recorded, and does not count; or an import was refused.
    Refused {
        /// The review's id.
        id: String,
        /// Why.
        refusal: Refusal,
    },
    /// What came on another channel was recorded and answered, under this id.
    Heard(String),
    /// It does not concern us.
    Ignored(&'static str),
    /// It becomes a dead letter.
    Rejected(Rejection),
}

/// What happened in a batch, for logs, metrics and summaries.
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
    /// Entries that do not concern us.
    pub ignored: u64,
    /// Dead letters.
    pub rejected: u64,
    /// Earlier feedback whose class or cluster changed.
    pub reevaluated: u64,
    /// Proposals made.
    pub proposals: Vec<String>,
    /// Clusters opened.
    pub clusters_opened: u64,
    /// Reviews that count, injections and imports.
    pub submitted: u64,
    /// Reviews that do not count.
    pub refused: u64,
    /// New turns, refinements, actions and review documents.
    pub heard: [u64; 4],
    /// Turns that were judged.
    pub judged: u64,
    /// What happened to rules and what people taught, in words, for the commit's message.
    pub rule_events: Vec<String>,
}

/// A batch that is durable.
#[derive(Clone, Debug)]
pub struct Processed {
    /// The head before.
    pub previous: Option<CommitId>,
    /// The commit; `None` where nothing changed.
    pub commit: Option<CommitId>,
    /// What became of each entry, in their order.
    pub outcomes: Vec<EntryOutcome>,
    /// What the commit gives to publish.
    pub messages: Vec<Outgoing>,
    /// Counts.
    pub counts: BatchCounts,
    /// Where the time went.
    pub timings: Timings,
    /// Why the store's catalogue is not in use as it stands, each in a line; empty where it is.
    pub catalogue_errors: Vec<String>,
    /// Why the roster's file makes no sense, where it does not. The one in force stays so.
    pub roster_error: Option<String>,
    /// How far the language model has come, if there is one.
    pub model: Option<Progress>,
}

/// Counts what became of entries.
pub(crate) fn count_outcomes(outcomes: &[EntryOutcome], counts: &mut BatchCounts) {
    for outcome in outcomes {
        match outcome {
            EntryOutcome::Recorded(_) => counts.recorded += 1,
            EntryOutcome::Duplicate(_) => counts.duplicates += 1,
            EntryOutcome::Ignored(_) => counts.ignored += 1,
            EntryOutcome::Rejected(_) => counts.rejected += 1,
            // The batch counted these itself, since its commit's message names them.
            EntryOutcome::Submitted { .. } | EntryOutcome::Refused { .. } | EntryOutcome::Heard(_) => {}
        }
    }
}

/// The place of a class in [`Classification::ALL`].
pub fn class_index(class: Classification) -> usize {
    Classification::ALL.iter().position(|c| *c == class).unwrap_or_default()
}
