//! The roster in force, cached for frequent queries.

use crate::domain::rules::lifecycle::roster::Roster;
use crate::ports::{StoreError, StoreReader};
use crate::rules::approval_history::{ApprovalRequirements, KnownPast};
use std::sync::Arc;
use thiserror::Error;

/// Opens the store in its current state.
pub type OpenStore = Box<dyn Fn() -> Result<Box<dyn StoreReader>, StoreError> + Send + Sync>;

/// The roster in force, reread only if the store's commit changed.
pub struct Reviewers {
    open: OpenStore,
    asked: ApprovalRequirements,
    known: KnownPast,
}

/// Why the roster is unknown.
#[derive(Debug, Error)]
pub enum RosterError {
    /// Counts a store failure.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file is invalid.
    #[error("the roster cannot be read: {0}")]
    Unreadable(String),
}

impl Reviewers {
    /// Creates it for a store, with the configured approval settings.
    pub fn new(open: OpenStore, asked: ApprovalRequirements) -> Reviewers {
        Reviewers { open, asked, known: KnownPast::default() }
    }

    /// Returns the roster in force now. May block.
    ///
    /// # Errors
    /// If store or roster cannot be read.
    pub fn now(&self) -> Result<Arc<Roster>, RosterError> {
        let store = (self.open)()?;
        let Some(head) = store.head()? else { return Ok(Arc::default()) };
        let past = self.known.at(store.as_ref(), &head, &self.asked)?;
        past.roster(store.as_ref())?.map_err(RosterError::Unreadable)
    }
}
