//! What the history says of approvals: the roster as it was when a review was taken up, and what the daemon wrote once.
//!
//! The order of commits counts, never a date in them. Who may approve is not decided here.

use crate::domain::ids::CommitId;
use crate::domain::records::layout;
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
    let bytes = store.read(before, layout::ROSTER)?.unwrap_or_default();
    let roster = Roster::parse(&String::from_utf8_lossy(&bytes)).unwrap_or_default();
    Ok(Some((commit.id, roster)))
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
