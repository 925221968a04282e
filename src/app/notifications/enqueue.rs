//! Conversion of published events to queued notifications.

use super::endpoint::Endpoint;
use crate::domain::records::notification::notice_of;
use crate::metrics;
use crate::ports::{Clock, NotificationQueue, QueueError, StoreError, StoreReader};
use crate::publication::outbox;
use crate::text::ids::CommitId;
use std::sync::Arc;
use thiserror::Error;

/// Opens the store to read it.
pub type OpenStore = Box<dyn Fn() -> Result<Box<dyn StoreReader>, StoreError> + Send>;
/// Returns the commit up to which everything is published; `None` if unknown.
pub type PublishedUpTo = Box<dyn Fn() -> Option<CommitId> + Send>;

/// Why notifications are not queued.
#[derive(Debug, Error)]
pub enum TakeUpError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The queue cannot be used.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// Queues notifications for what was published since the last check.
pub struct TakingUp {
    /// The recipients.
    pub endpoints: Arc<Vec<Endpoint>>,
    /// The notification queue.
    pub queue: Box<dyn NotificationQueue>,
    /// The store failed.
    pub open: OpenStore,
    /// The publishing position.
    pub published: PublishedUpTo,
    /// Returns the time.
    pub clock: Arc<dyn Clock>,
    /// Number of approvals a proposal needs.
    pub needed: u32,
    /// Maximum number of queued notifications per endpoint.
    pub max_waiting: u64,
}

impl TakingUp {
    /// Checks once. The very first check starts at the present: past events cause no notifications.
    ///
    /// # Errors
    /// If the store or the queue cannot be used. The next check resumes where this one stopped.
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
            tracing::info!(commit = %to, "notifications start here: none are sent for earlier events");
            return Ok(());
        };
        let store = (self.open)()?;
        if !store.contains(&to, &from)? {
            // The history was rewritten: a secret was purged, or the store was restored.
            tracing::warn!(%from, %to, "the store's history was replaced; notifications continue from its present end");
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
                tracing::warn!(
                    dropped,
                    "too many notifications are pending; the oldest are dropped \
                                         (notify.max_waiting)"
                );
            }
        }
        Ok(())
    }
}
