//! What was learned from actions, for queries outside the daemon's loop, and the chain that a result belongs to.

use crate::domain::channels::action::{ActionRecord, ActionStatistics, Chain, MAX_INFERENCES, MAX_KEPT};
use crate::domain::records::record::Registered;
use crate::ports::{Index, IndexError};
use std::sync::{PoisonError, RwLock};

/// What was learned from actions, as of the last batch. Cheap to read: nothing is copied. Empty if no daemon runs in
/// this process.
#[derive(Default)]
pub struct ActionKnowledge(RwLock<Option<ActionStatistics>>);

impl ActionKnowledge {
    /// Sets what is known from now on.
    pub fn put_up(&self, learning: ActionStatistics) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(learning);
    }

    /// Returns what is known.
    pub fn read(&self) -> Option<ActionStatistics> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns the chain with this id from the index.
///
/// # Errors
/// If the index cannot be read.
pub fn chain(index: &dyn Index, id: &str) -> Result<Chain, IndexError> {
    // Several actions of one event may have the same time; their ids tell which are the latest.
    let records = index.about::<ActionRecord>(id, MAX_KEPT + MAX_INFERENCES)?;
    Ok(Chain::of(records.iter().map(|(_, record)| record), index.count_about(ActionRecord::KIND, id)?))
}
