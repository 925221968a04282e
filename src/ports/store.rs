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

/// What one commit shall change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// Files to create or replace. When a path stands twice, the last one counts.
    pub writes: Vec<FileWrite>,
    /// Files to remove; a file that is not there is no error.
    pub removes: Vec<String>,
    /// The commit's subject: what happened, in words.
    pub subject: String,
    /// The body, may be empty.
    pub body: String,
    /// Trailers in their order, e.g. `("Source", "asdlc:events:hitl_decisions 1700000000000-3")`.
    pub trailers: Vec<(String, String)>,
}

/// What became of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The tree would have been the same: nothing was written. The head is as expected.
    Unchanged(CommitId),
    /// Durable on disk, and the branch points to it.
    Committed(CommitId),
    /// The branch is not where the caller thought: somebody else committed. Nothing was written; take the
    /// changes up and try again.
    Moved(CommitId),
}

/// One commit, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its id.
    pub id: CommitId,
    /// The first parent.
    pub parent: Option<CommitId>,
    /// The author's name.
    pub author: String,
    /// Seconds since 1970.
    pub seconds: i64,
    /// The first line of its message.
    pub subject: String,
}

/// The commits that changed something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The first commit of the store; none where the search ended at the commit that it began after.
    pub root: Option<CommitId>,
    /// Oldest first.
    pub commits: Vec<CommitInfo>,
}

/// Which commits in the daemon's name are signed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Signatures {
    /// The first one that is; nothing where none is.
    pub since: Option<CommitId>,
    /// How many are, from that one on.
    pub signed: u64,
    /// Those that are not although they are none of those before it, the oldest first.
    pub unsigned: Vec<CommitId>,
}

/// A failure of the store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no repository there.
    #[error("there is no store at {path}")]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// Another process holds the writer's lock.
    #[error("another process writes to the store at {path} (its lock is held)")]
    Locked {
        /// The store.
        path: String,
    },
    /// The disk is full, read-only or failing. Nothing was acknowledged; try again later.
    #[error("cannot write to the store: {0}")]
    Io(#[from] std::io::Error),
    /// What was written cannot be read back: the disk is not to be trusted.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// Git refused.
    #[error("git: {0}")]
    Git(String),
}

/// Reading the store. Needs no lock.
pub trait StoreReader {
    /// The commit the branch points to; `None` in a store without commits.
    fn head(&self) -> Result<Option<CommitId>, StoreError>;

    /// A file's content at a commit; `None` where there is no such file.
    fn read(&self, at: &CommitId, path: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Where a file is at a commit: here, or, in a store of an earlier version, under its earlier name.
    fn place_of(&self, at: &CommitId, path: String) -> Result<String, StoreError> {
        match layout::earlier(&path) {
            Some(earlier) if self.read(at, &path)?.is_none() && self.read(at, &earlier)?.is_some() => Ok(earlier),
            _ => Ok(path),
        }
    }

    /// The files of a directory at a commit with their names, in the order of these, without those below it; none where
    /// there is no such directory.
    fn files_in(&self, at: &CommitId, directory: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Visits every file below `feedback/` (and the roster) that differs between the two commits, in path order;
    /// all of them where `from` is `None`. Removed files come without content. Holds one file at a time. Fails before the
    /// first visit where the store lacks one of the commits.
    fn for_each_change(
        &self,
        from: Option<&CommitId>,
        to: &CommitId,
        visit: &mut dyn FnMut(FileChange) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// The commits after `from` up to `to`, first-parent, oldest first; from the root where `from` is `None` or
    /// is not an ancestor of `to`.
    fn commits(&self, from: Option<&CommitId>, to: &CommitId) -> Result<Vec<CommitInfo>, StoreError>;

    /// Whether a commit is another one, or comes after it. The store need not have the other one.
    fn contains(&self, commit: &CommitId, other: &CommitId) -> Result<bool, StoreError>;

    /// The commits up to `to` that changed one of the files, first-parent, the latest first, at most `limit`. A file
    /// that moves between the paths is followed; the search ends where none of them was there before.
    fn history(&self, to: &CommitId, paths: &[String], limit: usize) -> Result<Vec<CommitInfo>, StoreError>;

    /// All commits after `from` up to `to` that changed one of the files, or a directory where a path ends with `/`,
    /// first-parent, oldest first; from the root where `from` is not met on the way. Unlike [`StoreReader::history`] it goes
    /// on where nothing of them was there for a while.
    fn trace(&self, from: Option<&CommitId>, to: &CommitId, paths: &[&str]) -> Result<Trace, StoreError>;

    /// Looks at all commits in the daemon's name that `to` has, merged ones too: whether they are signed with one of these keys,
    /// lines as in `~/.ssh/id_ed25519.pub`.
    fn signatures(&self, to: &CommitId, keys: &[String]) -> Result<Signatures, StoreError>;
}

/// Writing the store: one writer, which holds the lock as long as it lives.
pub trait StoreWriter: StoreReader {
    /// Makes one commit on top of `expected`. Returns only when it is durable (fsync) or nothing happened.
    fn commit(&mut self, expected: Option<&CommitId>, change: &ChangeSet) -> Result<CommitOutcome, StoreError>;

    /// A step of housekeeping, which takes a moment: packs are read again, and combined by another process. Called when there is
    /// nothing else to do, as often as that is.
    ///
    /// # Errors
    /// `Damaged` where something that was written is not what it was, once for each.
    fn maintain(&mut self) -> Result<(), StoreError>;
}
