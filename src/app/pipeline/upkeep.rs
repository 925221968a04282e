//! Keeping a store's own explanations current: its README, schemas and samples (specification, "The store").
//!
//! A newer program brings newer ones. What people made their own stays: the roster is never touched, a README only
//! while it still says that it is ours.

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
        self.commit_own("Bring README, schemas and samples up to date", writes, now)
    }

    /// Says which store it is, and since when signatures and approvals of rosters are required, where that is not written;
    /// puts back what was written, where somebody changed it. `new_id` is the id of a store that has none.
    ///
    /// # Errors
    /// When the store cannot be read or written.
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
        // It begins with a roster, not with one that cannot be read.
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
        self.commit_own("Say which store this is, and what approvals rest on", writes, now)
    }

    /// Commits files of the daemon's own, where there are any.
    fn commit_own(&mut self, subject: &str, writes: Vec<FileWrite>, now: Timestamp) -> Result<(), PipelineError> {
        let Some(head) = self.head().cloned().filter(|_| !writes.is_empty()) else { return Ok(()) };
        let change = ChangeSet { writes, subject: subject.to_owned(), ..ChangeSet::default() };
        match self.outside.store.commit(Some(&head), &change)? {
            // Somebody else is committing; the next start will do.
            CommitOutcome::Moved(_) | CommitOutcome::Unchanged(_) => Ok(()),
            CommitOutcome::Committed(_) => self.take_up(now),
        }
    }
}
