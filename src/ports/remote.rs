//! The Git host that holds the store too. It is only ever given commits on top of its own; nothing there is rewritten.

use super::store::StoreError;
use crate::text::ids::CommitId;
use thiserror::Error;

/// What the host has on the branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteHead {
    /// There is no such branch there.
    Absent,
    /// This commit, with all before it, is in the store now.
    At(CommitId),
    /// The commit last seen there is no longer part of its history.
    Rewritten {
        /// The commit last seen.
        known: CommitId,
    },
}

/// What became of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// The host has the commit.
    Done,
    /// The host has commits that the store lacks; nothing changed there.
    Behind,
    /// The host refuses it, in its own words.
    Refused(String),
}

/// Why the host could not be asked.
#[derive(Debug, Error)]
pub enum RemoteError {
    /// Git cannot be run, or says why it failed.
    #[error("{0}")]
    Git(String),
    /// It took too long.
    #[error("stopped after {seconds} s without an end (remote.timeout_seconds)")]
    TooLong {
        /// The limit.
        seconds: u64,
    },
    /// The caller gave up.
    #[error("stopped, because the daemon stops")]
    GivenUp,
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reports whether to stop waiting for the host.
pub type GiveUp<'a> = &'a dyn Fn() -> bool;

/// The repository at the host. Needs no lock: it moves no branch of the store.
pub trait Remote: Send {
    /// Returns its address.
    fn address(&self) -> String;

    /// Returns the commit that the host had when last asked.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn known(&self) -> Result<Option<CommitId>, StoreError>;

    /// Reads what the host has into the store.
    ///
    /// # Errors
    /// If the host does not answer, or `give_up` says so.
    fn fetch(&self, give_up: GiveUp<'_>) -> Result<RemoteHead, RemoteError>;

    /// Moves the host's branch to a commit on top of it; never rewrites it.
    ///
    /// # Errors
    /// If the host does not answer, or `give_up` says so. It may have the commit nevertheless.
    fn push(&self, commit: &CommitId, give_up: GiveUp<'_>) -> Result<PushOutcome, RemoteError>;

    /// Asks whether the host would take a push of this commit, as far as it says so beforehand. Nothing changes there.
    ///
    /// # Errors
    /// If the host does not answer.
    fn rehearse(&self, commit: &CommitId) -> Result<PushOutcome, RemoteError>;
}
