//! Who stands on the roster in force, for whoever asks often.

use crate::domain::rules::lifecycle::roster::Roster;
use crate::ports::{StoreError, StoreReader};
use crate::rules::approval_history::{Asked, KnownPast};
use std::sync::Arc;
use thiserror::Error;

/// Opens the store as it stands.
pub type OpenStore = Box<dyn Fn() -> Result<Box<dyn StoreReader>, StoreError> + Send + Sync>;

/// The roster in force, read again only where the store has another commit.
pub struct Reviewers {
    open: OpenStore,
    asked: Asked,
    known: KnownPast,
}

/// Why nobody knows who stands on it.
#[derive(Debug, Error)]
pub enum RosterError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file makes no sense.
    #[error("the roster cannot be read: {0}")]
    Unreadable(String),
}

impl Reviewers {
    /// Those of a store, with what the configuration asks of approvals.
    pub fn new(open: OpenStore, asked: Asked) -> Reviewers {
        Reviewers { open, asked, known: KnownPast::default() }
    }

    /// The roster in force now. May block.
    ///
    /// # Errors
    /// When store or roster cannot be read.
    pub fn now(&self) -> Result<Arc<Roster>, RosterError> {
        let store = (self.open)()?;
        let Some(head) = store.head()? else { return Ok(Arc::default()) };
        let past = self.known.at(store.as_ref(), &head, &self.asked)?;
        past.roster(store.as_ref())?.map_err(RosterError::Unreadable)
    }
}
