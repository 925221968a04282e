//! Keeping a store's own explanations current: its README, schemas and samples (specification, "The store").
//!
//! A newer program brings newer ones. What people made their own stays: the roster is never touched, a README only
//! while it still says that it is ours.

use super::error::PipelineError;
use super::state::Pipeline;
use crate::domain::records::layout;
use crate::ports::{ChangeSet, CommitOutcome, FileWrite};
use jiff::Timestamp;

/// The first words of a README that the daemon keeps current.
pub const OURS: &[u8] = b"<!-- Kept current by feedbackd";

impl Pipeline {
    /// Brings the files of the template that are the daemon's own up to date, in a commit of its own.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn keep_current(&mut self, template: &[(String, Vec<u8>)], now: Timestamp) -> Result<(), PipelineError> {
        let Some(head) = self.head().cloned() else { return Ok(()) };
        let mut writes = Vec::new();
        for (path, content) in template {
            let present = self.store().read(&head, path)?;
            let stale = match &present {
                None => path.starts_with("schemas/"),
                Some(present) if present == content => false,
                Some(present) => path != layout::ROSTER && (!path.ends_with("README.md") || present.starts_with(OURS)),
            };
            if stale {
                writes.push(FileWrite { path: path.clone(), content: content.clone() });
            }
        }
        if writes.is_empty() {
            return Ok(());
        }
        let subject = "Bring README, schemas and samples up to date".to_owned();
        let change = ChangeSet { writes, subject, ..ChangeSet::default() };
        match self.outside.store.commit(Some(&head), &change)? {
            // Somebody else is committing; the next start will do.
            CommitOutcome::Moved(_) | CommitOutcome::Unchanged(_) => Ok(()),
            CommitOutcome::Committed(_) => self.take_up(now),
        }
    }
}
