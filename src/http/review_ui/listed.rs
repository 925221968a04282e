//! What was listed last, all of it: people look often, and proposals change seldom.

use super::shapes::RuleProposal;
use crate::domain::ids::CommitId;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex, PoisonError};

/// It holds for so long, for the sake of the 30 days that it is about; a commit ends it sooner.
const HOLDS: SignedDuration = SignedDuration::from_mins(10);

/// What was listed last.
#[derive(Default)]
pub struct Listed(Mutex<Option<Held>>);

struct Held {
    commit: Option<CommitId>,
    at: Timestamp,
    all: Arc<Vec<RuleProposal>>,
}

impl Listed {
    /// What is listed at a commit, made anew where that is another one than last time.
    pub fn at<E>(
        &self,
        commit: Option<CommitId>,
        now: Timestamp,
        make: impl FnOnce() -> Result<Vec<RuleProposal>, E>,
    ) -> Result<Arc<Vec<RuleProposal>>, E> {
        // Held while it is made: who asks meanwhile needs the same.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = last.as_ref().filter(|held| held.commit == commit && now.duration_since(held.at) < HOLDS) {
            return Ok(Arc::clone(&held.all));
        }
        let all = Arc::new(make()?);
        *last = Some(Held { commit, at: now, all: Arc::clone(&all) });
        Ok(all)
    }
}
