//! Who stands on the roster in force, for whoever asks often.

use crate::app::approving::{Asked, Past};
use crate::domain::rules::lifecycle::roster::Roster;
use crate::ports::{StoreError, StoreReader};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// Opens the store as it stands.
pub type OpenStore = Box<dyn Fn() -> Result<Box<dyn StoreReader>, StoreError> + Send + Sync>;

/// The roster in force, read again only where the store has another commit.
pub struct Reviewers {
    open: OpenStore,
    asked: Asked,
    known: Mutex<Option<(Past, Arc<Roster>)>>,
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
        Reviewers { open, asked, known: Mutex::new(None) }
    }

    /// The roster in force now. May block.
    ///
    /// # Errors
    /// When store or roster cannot be read.
    pub fn now(&self) -> Result<Arc<Roster>, RosterError> {
        let store = (self.open)()?;
        let Some(head) = store.head()? else { return Ok(Arc::default()) };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((past, roster)) = known.as_ref()
            && past.is_of(&head)
        {
            return Ok(Arc::clone(roster));
        }
        let past = Past::of(store.as_ref(), &head, &self.asked, known.as_ref().map(|(past, _)| past))?;
        let roster = past.roster(store.as_ref())?.map_err(RosterError::Unreadable)?;
        *known = Some((past, Arc::clone(&roster)));
        Ok(roster)
    }
}
