//! Makes a batch durable in one commit, then updates the working set, the near vectors and the index.

use super::finish::Changes;
use super::outcome::BatchCounts;
use crate::domain::records::message::Outgoing;
use crate::pipeline::error::PipelineError;
use crate::pipeline::state::Pipeline;
use crate::ports::CommitOutcome;
use crate::text::ids::CommitId;

impl Pipeline {
    /// Writes a batch's changes. Returns `None` if the branch has moved and nothing was written; `Some(None)` if there
    /// was nothing to write.
    pub(crate) fn write(&mut self, changes: &Changes) -> Result<Option<Option<CommitId>>, PipelineError> {
        let change = &changes.change;
        if change.writes.is_empty() && change.removes.is_empty() {
            return Ok(Some(None));
        }
        Ok(match self.outside.store.commit(self.memory.head.as_ref(), change)? {
            CommitOutcome::Moved(_) => None,
            CommitOutcome::Unchanged(_) => Some(None),
            CommitOutcome::Committed(id) => Some(Some(id)),
        })
    }

    /// Applies changes that are durable. No failure here fails the batch.
    pub(crate) fn take_in(&mut self, changes: Changes, commit: Option<&CommitId>) -> (BatchCounts, Vec<Outgoing>) {
        let Changes { change, updates, messages, counts, written, reload, memory, added } = changes;
        self.memory = memory;
        if let Err(error) = self.outside.knowledge.add(added.vectors()) {
            // They are added again before the next batch compares; that batch fails if this fails.
            tracing::warn!(%error, "the comments of a batch are not among the near vectors yet");
        }
        if let Some(commit) = commit {
            self.memory.head = Some(commit.clone());
            self.outside.recent.put(written);
            change.removes.iter().for_each(|path| self.outside.recent.remove(path));
            if let Err(error) = self.outside.index.open.apply(&updates, commit) {
                // The commit is durable, and the index can always be rebuilt from it.
                tracing::warn!(%error, commit = commit.short(), "the index did not apply the commit; it will catch up");
                self.index_behind = true;
            }
            // Withdrawn feedback leaves the working set, which is reloaded without it.
            self.index_behind |= reload;
        }
        (counts, messages)
    }
}
