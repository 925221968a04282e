//! The store: a Git repository with one writer and any number of readers.

use crate::domain::records::index_update::FileChange;
use crate::domain::records::layout;
use crate::text::ids::CommitId;
use serde::Serialize;
use thiserror::Error;

/// A file to write into the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWrite {
    /// Its path from the root of the repository, `/`-separated, every component safe.
    pub path: String,
    /// Its whole content.
    pub content: Vec<u8>,
}

/// The changes of one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// Files to create or replace. If a path occurs twice, the last one counts.
    pub writes: Vec<FileWrite>,
    /// Files to remove; a missing file is not an error.
    pub removes: Vec<String>,
    /// The commit's subject: what happened, in words.
    pub subject: String,
    /// The body; may be empty.
    pub body: String,
    /// Trailers in order, e.g. `("Source", "asdlc:events:hitl_decisions 1700000000000-3")`.
    pub trailers: Vec<(String, String)>,
}

/// The outcome of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The tree would be the same: nothing was written. The head is as expected.
    Unchanged(CommitId),
    /// Durable on disk, and the branch points to it.
    Committed(CommitId),
    /// The branch has moved: another writer committed. Nothing was written; apply the changes and try again.
    Moved(CommitId),
}

/// The relevant data of one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// The line's id.
    pub id: CommitId,
    /// The first parent.
    pub parent: Option<CommitId>,
    /// The author's name.
    pub author: String,
    /// Seconds since 1970.
    pub seconds: i64,
    /// The first line of the message.
    pub subject: String,
}

/// The commits that changed something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The first commit of the store; `None` if the search ended at the given start.
    pub root: Option<CommitId>,
    /// Oldest first.
    pub commits: Vec<CommitInfo>,
}

/// Which of the daemon's commits are signed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Signatures {
    /// The first signed one; `None` if there is none.
    pub since: Option<CommitId>,
    /// The number of signed ones from there on.
    pub signed: u64,
    /// Unsigned ones that are not ancestors of it, oldest first.
    pub unsigned: Vec<CommitId>,
}

/// A failure of the store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no repository.
    #[error("there is no store at {path}")]
    Missing {
        /// The path searched.
        path: String,
    },
    /// Another process holds the writer's lock.
    #[error("another process is writing to the store at {path} (its lock is held)")]
    Locked {
        /// The store failed.
        path: String,
    },
    /// The disk is full, read-only or failing. Nothing was acknowledged; try again later.
    #[error("cannot write to the store: {0}")]
    Io(#[from] std::io::Error),
    /// Written data cannot be read back: the disk is not to be trusted.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// Git failed.
    #[error("git: {0}")]
    Git(String),
}

/// Reads the store. Needs no lock.
pub trait StoreReader {
    /// Returns the commit the branch points to; `None` if the store has no commits.
    fn head(&self) -> Result<Option<CommitId>, StoreError>;

    /// Returns a file's content at a commit; `None` if there is no such file.
    fn read(&self, at: &CommitId, path: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns a file's path at a commit: this one, or, in a store of an earlier version, its earlier name.
    fn place_of(&self, at: &CommitId, path: String) -> Result<String, StoreError> {
        match layout::earlier(&path) {
            Some(earlier) if self.read(at, &path)?.is_none() && self.read(at, &earlier)?.is_some() => Ok(earlier),
            _ => Ok(path),
        }
    }

    /// Returns a directory's files at a commit with their names, in name order, without subdirectories; empty if there
    /// is no such directory.
    fn files_in(&self, at: &CommitId, directory: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Visits every file below `feedback/` (and the roster) that differs between the two commits, in path order; all of
    /// them if `from` is `None`. Removed files have no content. Holds one file at a time. Fails before the first visit
    /// if the store lacks one of the commits.
    fn for_each_change(
        &self,
        from: Option<&CommitId>,
        to: &CommitId,
        visit: &mut dyn FnMut(FileChange) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Returns the commits after `from` up to `to`, first-parent, oldest first; from the root if `from` is `None` or
    /// not an ancestor of `to`.
    fn commits(&self, from: Option<&CommitId>, to: &CommitId) -> Result<Vec<CommitInfo>, StoreError>;

    /// Reports whether a commit equals or follows another. The store need not have the other one.
    fn contains(&self, commit: &CommitId, other: &CommitId) -> Result<bool, StoreError>;

    /// Returns the commits up to `to` that changed one of the files, first-parent, latest first, at most `limit`. A
    /// file that moves between the paths is followed; the search ends where none of them existed before.
    fn history(&self, to: &CommitId, paths: &[String], limit: usize) -> Result<Vec<CommitInfo>, StoreError>;

    /// Returns all commits after `from` up to `to` that changed one of the files, or a directory if a path ends with
    /// `/`, first-parent, oldest first; from the root if `from` is not found on the way. Unlike
    /// [`StoreReader::history`] it continues past gaps in which none of them existed.
    fn trace(&self, from: Option<&CommitId>, to: &CommitId, paths: &[&str]) -> Result<Trace, StoreError>;

    /// Checks all of the daemon's commits reachable from `to`, merged ones too: whether they are signed with one of
    /// these keys, lines as in `~/.ssh/id_ed25519.pub`.
    fn signatures(&self, to: &CommitId, keys: &[String]) -> Result<Signatures, StoreError>;
}

/// What became of commits that were made elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinOutcome {
    /// The branch contains them already.
    Contained,
    /// The branch moved forward to them.
    Forwarded(CommitId),
    /// Both sides had commits: a merge commit on top of the branch contains both.
    Merged(CommitId),
    /// Both sides changed these files. Nothing was written.
    Conflict(Vec<String>),
    /// They have no commit in common with the branch. Nothing was written.
    Unrelated,
}

/// Writes the store: a single writer, which holds the lock for its lifetime.
pub trait StoreWriter: StoreReader {
    /// Creates one commit on top of `expected`. Returns only when it is durable (fsync) or nothing happened.
    fn commit(&mut self, expected: Option<&CommitId>, change: &ChangeSet) -> Result<CommitOutcome, StoreError>;

    /// Adds commits made elsewhere, which the store has but its branch may not: moves the branch forward to them, or
    /// merges them if no file was changed on both sides. Durable on return. The branch must not move meanwhile.
    ///
    /// # Errors
    /// If the store lacks the commit, or cannot be written.
    fn join(&mut self, other: &CommitId) -> Result<JoinOutcome, StoreError>;

    /// Does a short step of housekeeping: packs are verified, and combined by another process. Called whenever idle.
    ///
    /// # Errors
    /// `Damaged` if written data has changed, once for each.
    fn maintain(&mut self) -> Result<(), StoreError>;
}
