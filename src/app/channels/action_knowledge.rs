//! What was learned from actions, for those who answer beside the daemon's work, and the chain that a result belongs to.

use crate::domain::channels::action::{ActionRecord, Chain, Learning, MAX_INFERENCES, MAX_KEPT};
use crate::domain::records::record::Registered;
use crate::ports::{Index, IndexError};
use std::sync::{PoisonError, RwLock};

/// What was learned from actions, as of the last batch. Cheap to read: nothing is copied. Nothing is there where no daemon
/// works in this process.
#[derive(Default)]
pub struct Learned(RwLock<Option<Learning>>);

impl Learned {
    /// Puts up what is known from now on.
    pub fn put_up(&self, learning: Learning) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(learning);
    }

    /// What is known.
    pub fn read(&self) -> Option<Learning> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The chain of this id as the index has it.
///
/// # Errors
/// When the index cannot be read.
pub fn chain(index: &dyn Index, id: &str) -> Result<Chain, IndexError> {
    // Of one event several actions may have one time: which of these are the latest, their ids say.
    let records = index.about::<ActionRecord>(id, MAX_KEPT + MAX_INFERENCES)?;
    Ok(Chain::of(records.iter().map(|(_, record)| record), index.count_about(ActionRecord::KIND, id)?))
}
