//! Keeps a store's own documentation current: its README, schemas and samples (specification, "The store").
//!
//! A newer program updates them. Files that people took over are kept: the roster is never touched, and a README only
//! while it still has the daemon's marker.

use super::error::PipelineError;
use super::state::Pipeline;
use crate::domain::records::layout;
use crate::domain::records::origin::{RostersSince, RuleVersion, SignaturesSince, StoreIdentity};
use crate::domain::rules::draft::proposal::hash_of;
use crate::domain::rules::lifecycle::succession::roster_hash;
use crate::ports::{ChangeSet, CommitOutcome, FileWrite};
use crate::text::yaml;
use jiff::Timestamp;

/// The first words of a README that the daemon keeps current.
pub const OURS: &[u8] = b"<!-- Kept current by feedbackd";

impl Pipeline {
    /// Updates the template's files that the daemon owns, in a separate commit.
    ///
    /// # Errors
    /// If the store cannot be read or written.
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
        self.commit_own("Bring README, schemas and samples up to date", writes, now)
    }

    /// Writes the store's id, and since when signatures and roster approvals are required, if missing; restores them if
    /// they were changed. `new_id` is the id for a store that has none.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    pub fn keep_origin(&mut self, new_id: &str, now: Timestamp) -> Result<(), PipelineError> {
        let Some(head) = self.head().cloned() else { return Ok(()) };
        let memory = &self.memory;
        let identity = memory.identity().cloned().unwrap_or_else(|| StoreIdentity::new(new_id));
        let mut wanted = vec![(layout::STORE, yaml::render(&identity).map_err(PipelineError::Record)?)];
        if self.settings.rules.require_signatures {
            let present = || {
                let in_force = memory.rules().filter(|rule| rule.in_force()).map(|rule| RuleVersion {
                    rule_id: rule.record.proposal_id.clone(),
                    content_hash: hash_of(&rule.record),
                });
                SignaturesSince::new(now, in_force.collect())
            };
            let since = memory.signatures().cloned().unwrap_or_else(present);
            wanted.push((layout::SIGNATURES, yaml::render(&since).map_err(PipelineError::Record)?));
        }
        let since = memory.past.as_ref().and_then(|past| past.since.as_deref().cloned());
        // It begins with a roster, not with an unreadable one.
        if since.is_some() || memory.roster_error.is_none() {
            let since = since.unwrap_or_else(|| RostersSince::new(now, roster_hash("", &memory.roster)));
            wanted.push((layout::ROSTERS, yaml::render(&since).map_err(PipelineError::Record)?));
        }
        let mut writes = Vec::new();
        for (path, text) in wanted {
            if self.store().read(&head, path)?.as_deref() != Some(text.as_bytes()) {
                writes.push(FileWrite { path: path.to_owned(), content: text.into_bytes() });
            }
        }
        self.commit_own("Record the store's identity and the basis of approvals", writes, now)
    }

    /// Commits the daemon's own files, if there are any.
    fn commit_own(&mut self, subject: &str, writes: Vec<FileWrite>, now: Timestamp) -> Result<(), PipelineError> {
        let Some(head) = self.head().cloned().filter(|_| !writes.is_empty()) else { return Ok(()) };
        let change = ChangeSet { writes, subject: subject.to_owned(), ..ChangeSet::default() };
        match self.outside.store.commit(Some(&head), &change)? {
            // Someone else is committing; the next start will do.
            CommitOutcome::Moved(_) | CommitOutcome::Unchanged(_) => Ok(()),
            CommitOutcome::Committed(_) => self.take_up(now),
        }
    }
}
