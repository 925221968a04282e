//! What reviewers keep asking for, as page and API answer it: made once for all who ask, as looking at every remark takes a
//! moment.

use super::memo::Last;
use crate::app::channels::service::ChannelService;
use crate::app::decisions::questions::{Questions, SHOWN};
use crate::app::forges::history::Noted;
use crate::app::queries::QueryError;
use crate::app::reports::demands::{DemandFilter, Demands, demands, left_out, puzzles};
use crate::text::ids::CommitId;

/// It may be older than the store by so many times the time that making it takes.
const EASE: u32 = 50;

/// Says what imports and looks noted of the histories of forges; may block.
pub type Notes = Box<dyn Fn() -> Vec<Noted> + Send + Sync>;

/// What reviewers keep asking for, with what was made last.
pub struct Demanding {
    last: Last<DemandFilter, (Demands, Option<CommitId>)>,
    notes: Notes,
}

impl Demanding {
    /// With somebody who knows what was left out.
    pub fn new(notes: Notes) -> Demanding {
        Demanding { last: Last::easy(EASE), notes }
    }

    /// What reviewers ask for, and at which commit.
    ///
    /// # Errors
    /// When store or index cannot be read.
    pub fn ask(
        &self,
        channels: &ChannelService,
        questions: &Questions,
        filter: DemandFilter,
    ) -> Result<(Demands, Option<CommitId>), QueryError> {
        // Before the index is opened: it may take a moment.
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
