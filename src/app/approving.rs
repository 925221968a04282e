//! What the store says of approvals, at a commit or of its history: the roster, what is stopped, and what the daemon wrote once.
//!
//! The order of commits counts, never a date in them. Who may approve is not decided here.

use crate::domain::ids::CommitId;
use crate::domain::records::layout;
use crate::domain::records::record::StopsRecord;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::domain::yaml;
use crate::ports::{StoreError, StoreReader};
use serde::de::DeserializeOwned;

/// The roster that was there when a review's record came to be as it is: that of the commit before. Nobody where it
/// cannot be read; nothing where there is no such record.
///
/// # Errors
/// When the store cannot be read.
pub fn roster_then(
    store: &dyn StoreReader,
    head: &CommitId,
    review: &str,
) -> Result<Option<(CommitId, Roster)>, StoreError> {
    let Some(commit) = store.history(head, &[review.to_owned()], 1)?.into_iter().next() else { return Ok(None) };
    let before = commit.parent.as_ref().unwrap_or(&commit.id);
    let roster = roster_at(store, before)?.unwrap_or_default();
    Ok(Some((commit.id, roster)))
}

/// The roster as its file has it at a commit; nobody stands on it where there is none.
///
/// # Errors
/// When the store cannot be read; within that, why the file makes no sense.
pub fn roster_at(store: &dyn StoreReader, commit: &CommitId) -> Result<Result<Roster, String>, StoreError> {
    let bytes = store.read(commit, layout::ROSTER)?;
    Ok(bytes.map_or_else(|| Ok(Roster::default()), |bytes| Roster::parse(&String::from_utf8_lossy(&bytes))))
}

/// Which rules are stopped at a commit; none where nothing was committed.
///
/// # Errors
/// When the store cannot be read.
pub fn stops_at(store: &dyn StoreReader, commit: Option<&CommitId>) -> Result<StopsRecord, StoreError> {
    let bytes = commit.map(|commit| store.read(commit, layout::STOPPED)).transpose()?.flatten();
    Ok(bytes.map(|bytes| StopsRecord::parse(&String::from_utf8_lossy(&bytes))).unwrap_or_default())
}

/// A file as it was when it first appeared, whatever became of it; nothing where it never did.
///
/// # Errors
/// When the store cannot be read.
pub fn first<T: DeserializeOwned>(
    store: &dyn StoreReader,
    head: &CommitId,
    path: &str,
) -> Result<Option<T>, StoreError> {
    for commit in store.commits(None, head)? {
        if let Some(bytes) = store.read(&commit.id, path)?
            && let Ok(found) = yaml::parse(&String::from_utf8_lossy(&bytes))
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
