//! Taking something out of the whole history of the store.

use super::store::{ChangeSet, StoreError};
use crate::text::ids::CommitId;
use crate::text::redact::Purged;
use serde::Serialize;
use std::collections::BTreeSet;

/// Where something stands in a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PurgeFound {
    /// How many commits there are.
    pub commits_seen: usize,
    /// How many of them are made anew: those that hold it, and all that follow one.
    pub commits: usize,
    /// How many files, each content once.
    pub files: usize,
    /// How often it stands in files.
    pub times: usize,
    /// How many names of files and directories.
    pub names: usize,
    /// How many messages and names of authors.
    pub messages: usize,
    /// How many branches and tags move.
    pub references: usize,
    /// How many signatures of commits and tags are left out.
    pub signatures: usize,
    /// How many objects that nothing reaches any more.
    pub unreachable: usize,
    /// An earlier purge did not come to its end.
    pub unfinished: bool,
    /// The paths of all these files, without what is taken out of them.
    pub paths: BTreeSet<String>,
}

impl PurgeFound {
    /// Whether it stands in what branches and tags reach.
    pub fn is_there(&self) -> bool {
        self.commits > 0 || self.references > 0
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PurgeResult {
    /// Where it stood.
    pub found: PurgeFound,
    /// Where the branch was.
    pub old: CommitId,
    /// Where it is.
    pub new: CommitId,
    /// How many objects are gone.
    pub removed: usize,
}

/// What is committed on top: given what was found, the old and the new head, and files at the root of the new one.
pub type PurgeLast<'l> = dyn FnMut(&PurgeFound, &CommitId, &CommitId, &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<ChangeSet, StoreError>
    + 'l;

/// A store whose history may be rewritten: no daemon writes to it meanwhile.
pub trait HistoryPurger {
    /// Where something stands; changes nothing.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn survey(&self, what: &Purged) -> Result<PurgeFound, StoreError>;

    /// Takes it out. Afterwards no object of the repository holds it. After an error, or a kill, the history is the old
    /// or the new one, and it may be called again.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    fn purge(&mut self, what: &Purged, last: &mut PurgeLast<'_>) -> Result<PurgeResult, StoreError>;
}
