//! From what was published to notices that wait.

use super::endpoint::Endpoint;
use crate::domain::records::notification::notice_of;
use crate::metrics;
use crate::ports::{Clock, NoticeQueue, QueueError, StoreError, StoreReader};
use crate::publication::outbox;
use crate::text::ids::CommitId;
use std::sync::Arc;
use thiserror::Error;

/// Opens the store to read it.
pub type OpenStore = Box<dyn Fn() -> Result<Box<dyn StoreReader>, StoreError> + Send>;
/// Up to which commit all is published; `None` where that is not known.
pub type Published = Box<dyn Fn() -> Option<CommitId> + Send>;

/// Why notices are not queued.
#[derive(Debug, Error)]
pub enum TakeUpError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The queue cannot be used.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// Queues the notices of what was published since the last look.
pub struct TakingUp {
    /// Who is told.
    pub endpoints: Arc<Vec<Endpoint>>,
    /// Where notices wait.
    pub queue: Box<dyn NoticeQueue>,
    /// The store.
    pub open: OpenStore,
    /// How far publishing has come.
    pub published: Published,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// How many approvals a proposal needs.
    pub needed: u32,
    /// How many notices may wait for one endpoint.
    pub max_waiting: u64,
}

impl TakingUp {
    /// Looks once. The first time ever it begins with what comes from then on: nobody is told of the past.
    ///
    /// # Errors
    /// When the store or the queue cannot be used; the next look goes on from where this one stopped.
    pub fn look(&mut self) -> Result<(), TakeUpError> {
        let states = self.queue.endpoints()?;
        let disabled: Vec<&str> =
            states.iter().filter(|state| state.disabled_at.is_some()).map(|state| state.name.as_str()).collect();
        metrics::notices_waiting(states.iter().map(|state| state.waiting).sum(), disabled.len() as u64);
        let Some(to) = (self.published)() else { return Ok(()) };
        let from = self.queue.position()?;
        if from.as_ref() == Some(&to) {
            return Ok(());
        }
        let Some(from) = from else {
            self.queue.queue(&[], &to, self.max_waiting)?;
            tracing::info!(commit = %to, "notices begin here: nobody is told of what was before");
            return Ok(());
        };
        let store = (self.open)()?;
        if !store.contains(&to, &from)? {
            // The history is another one since: a secret was taken out of it, or the store was put back.
            tracing::warn!(%from, %to, "the store's history is another one; notices go on from its present end");
            self.queue.queue(&[], &to, self.max_waiting)?;
            return Ok(());
        }
        for commit in store.commits(Some(&from), &to)? {
            let messages = outbox::messages(store.as_ref(), commit.parent.as_ref(), &commit.id)?;
            let now = self.clock.now();
            let notices: Vec<_> = messages.iter().filter_map(|message| notice_of(message, self.needed)).collect();
            let waiting: Vec<_> = notices
                .iter()
                .flat_map(|notice| self.endpoints.iter().map(move |endpoint| (endpoint, notice)))
                .filter(|(endpoint, notice)| endpoint.wants(notice) && !disabled.contains(&endpoint.name.as_str()))
                .map(|(endpoint, notice)| endpoint.waiting(notice, now))
                .collect();
            let dropped = self.queue.queue(&waiting, &commit.id, self.max_waiting)?;
            if dropped > 0 {
                metrics::notices_dropped(dropped);
                tracing::warn!(dropped, "more notices wait than may; the oldest are dropped (notify.max_waiting)");
            }
        }
        Ok(())
    }
}
