//! Publishing from the current position up to a commit, with the messages of the current batch or with those read back
//! from commits.

use super::cursor::{OutboxPublisher, Step};
use crate::domain::records::message::Outgoing;
use crate::metrics;
use crate::pipeline::ProcessedBatch;
use crate::ports::{BusError, CommitInfo, Publisher, StoreError};
use crate::text::ids::CommitId;

/// The store's commits and the messages each one produces.
pub trait Outbox {
    /// Returns the commits after one, up to another, oldest first.
    fn commits(
        &self,
        from: Option<CommitId>,
        to: CommitId,
    ) -> impl Future<Output = Result<Vec<CommitInfo>, StoreError>> + Send;

    /// Returns the messages for the step from `parent` to `commit`.
    fn messages(
        &self,
        parent: Option<CommitId>,
        commit: CommitId,
    ) -> impl Future<Output = Result<Vec<Outgoing>, StoreError>> + Send;
}

impl<P: Publisher> OutboxPublisher<P> {
    /// Publishes everything not yet published, up to a commit. If that is the commit of `fresh`, its messages are not
    /// read back. Returns whether those messages were published.
    ///
    /// # Errors
    /// If the bus cannot be reached or the store cannot be read. The next call resumes where this one stopped.
    pub async fn catch_up(
        &mut self,
        outbox: &(impl Outbox + Sync),
        to: &CommitId,
        fresh: Option<&ProcessedBatch>,
    ) -> Result<bool, BusError> {
        let mut are_fresh = false;
        loop {
            let position = self.position().await?;
            if position.published.as_ref() == Some(to) {
                return Ok(are_fresh);
            }
            if let Some(processed) = fresh.filter(|p| p.previous == position.published) {
                are_fresh = self.step(&Step { commit: to.clone(), messages: processed.messages.clone() }).await?;
                continue;
            }
            let commits = outbox.commits(position.published.clone(), to.clone()).await.map_err(unreadable)?;
            if commits.is_empty() {
                return Ok(are_fresh);
            }
            for CommitInfo { parent, id: commit, .. } in commits {
                let messages = outbox.messages(parent, commit.clone()).await.map_err(unreadable)?;
                if !self.step(&Step { commit, messages }).await? {
                    break;
                }
            }
        }
    }

    async fn step(&mut self, step: &Step) -> Result<bool, BusError> {
        let taken = self.publish(step).await?;
        if taken {
            for message in &step.messages {
                metrics::published(message.topic, 1);
            }
        }
        Ok(taken)
    }
}

fn unreadable(error: StoreError) -> BusError {
    BusError::Unavailable(format!("the store cannot be read: {error}"))
}
