//! Bringing the index up to the store: incrementally, by a full rebuild, or by comparison only.
//!
//! Memory is bounded by a chunk of records, whatever the distance. An interrupted index first finishes its pending
//! update: only then does the difference to a later commit cover everything to remove. The caller decides what to do
//! about a stale index; nothing here deletes one.

use crate::comments::analyzer::Analyzer;
use crate::domain::records::index_update::read_change;
use crate::domain::records::layout::ROSTER;
use crate::parallel;
use crate::ports::{EmbedError, Index, IndexError, IndexUpdate, StoreError, StoreReader};
use crate::text::ids::CommitId;
use thiserror::Error;

/// Changes applied per transaction.
pub const CHUNK: usize = 512;

/// Why the index could not be brought up to the store.
#[derive(Debug, Error)]
pub enum ReindexError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index could not be written or read. [`IndexError::Stale`] asks for a fresh one.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The vectors could not be computed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

/// Applies everything from the index's commit to `to`. Returns the number of changes.
///
/// # Errors
/// [`IndexError::Stale`] if the store lacks the commit that the index reflects: it belongs to another store. After any
/// error, a repeated call resumes where this one stopped.
pub fn catch_up(
    store: &dyn StoreReader,
    index: &mut dyn Index,
    understanding: &Analyzer,
    to: &CommitId,
) -> Result<u64, ReindexError> {
    take_up(store, index, Some(understanding), to)
}

/// Like [`catch_up`] if an understanding is given. Without one, comments get no vectors, which suffices for a private
/// index used only for lists.
pub(crate) fn take_up(
    store: &dyn StoreReader,
    index: &mut dyn Index,
    understanding: Option<&Analyzer>,
    to: &CommitId,
) -> Result<u64, ReindexError> {
    let mut changes = 0;
    if let Some(staged) = index.staged()? {
        changes += advance(store, index, understanding, &staged)?;
    }
    if index.commit()?.as_ref() != Some(to) {
        changes += advance(store, index, understanding, to)?;
    }
    Ok(changes)
}

/// Fills an empty index with everything in the store at `to`. Returns the number of records.
///
/// # Errors
/// As [`catch_up`]; [`IndexError::Stale`] if the index is not empty.
pub fn rebuild(
    store: &dyn StoreReader,
    index: &mut dyn Index,
    understanding: &Analyzer,
    to: &CommitId,
) -> Result<u64, ReindexError> {
    if index.commit()?.is_some() || index.staged()?.is_some() {
        return Err(IndexError::Stale("it is not empty".into()).into());
    }
    advance(store, index, Some(understanding), to)
}

pub(super) fn advance(
    store: &dyn StoreReader,
    index: &mut dyn Index,
    understanding: Option<&Analyzer>,
    to: &CommitId,
) -> Result<u64, ReindexError> {
    let from = index.commit()?;
    let mut chunk = Vec::with_capacity(CHUNK);
    let mut changes = 0;
    // The visitor can only return store errors; others are kept here.
    let mut refused: Option<ReindexError> = None;
    let visited = store.for_each_change(from.as_ref(), to, &mut |change| {
        let updates = read_change(change);
        if updates.is_empty() {
            return Ok(());
        }
        // A chunk is written once another change follows, so the last one is left for the final commit.
        if chunk.len() >= CHUNK {
            let staged = embed(understanding, &mut chunk).and_then(|()| Ok(index.stage(&chunk, to)?));
            if let Err(e) = staged {
                refused = Some(e);
                return Err(StoreError::Git("stopped".into()));
            }
            chunk.clear();
        }
        chunk.extend(updates);
        changes += 1;
        Ok(())
    });
    if let Some(e) = refused {
        return Err(e);
    }
    if let Err(e) = visited {
        return Err(foreign(store, from.as_ref()).map_or(e.into(), ReindexError::Index));
    }
    embed(understanding, &mut chunk)?;
    index.apply(&chunk, to)?;
    Ok(changes)
}

/// Fills in the vectors of decision records.
fn embed(understanding: Option<&Analyzer>, updates: &mut [IndexUpdate]) -> Result<(), ReindexError> {
    let Some(understanding) = understanding else { return Ok(()) };
    understanding.prepare(&mut updates.iter().filter_map(|update| update.decision()?.compared_text()))?;
    let found = parallel::map(updates.iter().collect(), |update: &IndexUpdate| {
        update.decision().map_or(Ok(None), |record| understanding.record(record))
    });
    for (update, found) in updates.iter_mut().zip(found) {
        if let IndexUpdate::Written { vector, .. } = update {
            *vector = found?;
        }
    }
    Ok(())
}

/// Reports whether a difference failed because the store never had the index's commit.
fn foreign(store: &dyn StoreReader, from: Option<&CommitId>) -> Option<IndexError> {
    let from = from?;
    match store.read(from, ROSTER) {
        Err(StoreError::Git(_) | StoreError::Damaged(_)) => {
            Some(IndexError::Stale(format!("it reflects the commit {}, which the store does not have", from.short())))
        }
        _ => None,
    }
}
