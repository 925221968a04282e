//! From where publishing stands up to a commit: with the messages of the batch that was just made, or with those that
//! commits give when they are read back.

use super::cursor::{Publishing, Step};
use crate::domain::records::message::Outgoing;
use crate::metrics;
use crate::pipeline::Processed;
use crate::ports::{BusError, CommitInfo, Publisher, StoreError};
use crate::text::ids::CommitId;

/// The commits of the store, and what each gives to publish.
pub trait Outbox {
    /// The commits after one, up to another; the oldest first.
    fn commits(
        &self,
        from: Option<CommitId>,
        to: CommitId,
    ) -> impl Future<Output = Result<Vec<CommitInfo>, StoreError>> + Send;

    /// What is published for the step from `parent` to `commit`.
    fn messages(
        &self,
        parent: Option<CommitId>,
        commit: CommitId,
    ) -> impl Future<Output = Result<Vec<Outgoing>, StoreError>> + Send;
}

impl<P: Publisher> Publishing<P> {
    /// Publishes all that was not published yet, up to a commit. Where that is the commit of `fresh`, its messages need not
    /// be read back. Returns whether it was these that went out.
    ///
    /// # Errors
    /// When the bus cannot be reached, or the store cannot be read; the next call goes on from where this one stopped.
    pub async fn catch_up(
        &mut self,
        outbox: &(impl Outbox + Sync),
        to: &CommitId,
        fresh: Option<&Processed>,
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
