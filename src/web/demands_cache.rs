//! Recurring demands, as shown by page and API: computed once for all callers, because reading every comment takes a
//! moment.

use super::memo::Memo;
use crate::app::channels::service::ChannelService;
use crate::app::decisions::questions::{Questions, SHOWN};
use crate::app::forges::history::SkippedNote;
use crate::app::queries::QueryError;
use crate::app::reports::demands::{DemandFilter, Demands, demands, left_out, puzzles};
use crate::text::ids::CommitId;

/// Maximum staleness, as a multiple of the computation time.
const EASE: u32 = 50;

/// Returns what imports and polls noted about forges' histories; may block.
pub type Notes = Box<dyn Fn() -> Vec<SkippedNote> + Send + Sync>;

/// Recurring demands, with the last result cached.
pub struct DemandsCache {
    last: Memo<DemandFilter, (Demands, Option<CommitId>)>,
    notes: Notes,
}

impl DemandsCache {
    /// Creates it with a source of notes on what was omitted.
    pub fn new(notes: Notes) -> DemandsCache {
        DemandsCache { last: Memo::easy(EASE), notes }
    }

    /// Returns what reviewers ask for, and at which commit.
    ///
    /// # Errors
    /// If store or index cannot be read.
    pub fn ask(
        &self,
        channels: &ChannelService,
        questions: &Questions,
        filter: DemandFilter,
    ) -> Result<(Demands, Option<CommitId>), QueryError> {
        // Before opening the index: this may take a moment.
        let known = questions.ask();
        let (agent, repository) = (filter.agent.clone(), filter.repository.clone());
        channels.ask(|c| {
            let commit = c.queries.index.commit()?;
            let made = self
                .last
                .at(filter.clone(), commit.clone(), || Ok::<_, QueryError>((demands(&c.queries, &filter)?, commit)))?;
            let (mut found, commit) = (made.0.clone(), made.1.clone());
            let open = known.open(&c.queries, agent.as_deref())?;
            found.questions = open.map(|open| puzzles(&open[..open.len().min(SHOWN)]));
            found.left_out = left_out(&(self.notes)(), repository.as_deref());
            Ok((found, commit))
        })
    }
}
