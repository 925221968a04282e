//! Removal of data from the store's whole history.

use super::store::{ChangeSet, StoreError};
use crate::text::ids::CommitId;
use crate::text::redact::PurgeTarget;
use serde::Serialize;
use std::collections::BTreeSet;

/// Where something occurs in a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PurgeFound {
    /// The number of commits.
    pub commits_seen: usize,
    /// The number to rewrite: commits that contain it, and their descendants.
    pub commits: usize,
    /// The number of files, each content once.
    pub files: usize,
    /// The number of occurrences in files.
    pub times: usize,
    /// The number of file and directory names.
    pub names: usize,
    /// The number of messages and author names.
    pub messages: usize,
    /// The number of branches and tags that move.
    pub references: usize,
    /// The number of commit and tag signatures dropped.
    pub signatures: usize,
    /// The number of unreachable objects.
    pub unreachable: usize,
    /// Whether an earlier purge is unfinished.
    pub unfinished: bool,
    /// The paths of all these files, without the purged text.
    pub paths: BTreeSet<String>,
}

impl PurgeFound {
    /// Reports whether branches or tags reach it.
    pub fn is_there(&self) -> bool {
        self.commits > 0 || self.references > 0
    }
}

/// The result of a purge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PurgeResult {
    /// What was found.
    pub found: PurgeFound,
    /// The branch's old commit.
    pub old: CommitId,
    /// Its new commit.
    pub new: CommitId,
    /// The number of removed objects.
    pub removed: usize,
}

/// Builds the commit on top: from the findings, the old and the new head, and files at the root of the new one.
pub type PurgeLast<'l> = dyn FnMut(&PurgeFound, &CommitId, &CommitId, &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<ChangeSet, StoreError>
    + 'l;

/// A store whose history may be rewritten: no daemon writes to it meanwhile.
pub trait HistoryPurger {
    /// Returns where something occurs; changes nothing.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn survey(&self, what: &PurgeTarget) -> Result<PurgeFound, StoreError>;

    /// Purges it. Afterwards no object of the repository contains it. After an error or a kill, the history is the old
    /// or the new one, and the call may be repeated.
    ///
    /// # Errors
    /// If the store cannot be read or written.
    fn purge(&mut self, what: &PurgeTarget, last: &mut PurgeLast<'_>) -> Result<PurgeResult, StoreError>;
}
