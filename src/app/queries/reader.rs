//! Read-only access to store and index without the daemon.
//!
//! The index on disk is used if it is valid and current. Otherwise a private copy is brought up to the store's head, or
//! built from scratch, and discarded afterwards; a message reports this.

use super::{Comparisons, Queries};
use crate::admin::reindex;
use crate::admin::reindex::{Difference, ReindexError};
use crate::channels::service::Snapshot;
use crate::comments::analyzer::Analyzer;
use crate::ports::{Index, IndexError, IndexFiles, StoreReader};
use crate::text::ids::CommitId;
use serde::Serialize;
use std::sync::Arc;

/// Store and index, open for lists. No comments are compared, so the understanding is not loaded.
pub struct ReadAccess {
    store: Box<dyn StoreReader>,
    index: Box<dyn Index>,
    notice: Option<String>,
}

impl ReadAccess {
    /// Opens the index next to the store, or builds an equivalent private one.
    ///
    /// # Errors
    /// If the store cannot be read, or the temporary directory fails.
    pub fn open(store: Box<dyn StoreReader>, files: &dyn IndexFiles) -> Result<ReadAccess, ReindexError> {
        ReadAccess::with(store, files, None)
    }

    fn with(
        store: Box<dyn StoreReader>,
        files: &dyn IndexFiles,
        understanding: Option<&Analyzer>,
    ) -> Result<ReadAccess, ReindexError> {
        // Read the head first: an index ahead of it was advanced in the meantime.
        let head = store.head()?;
        let (index, notice) = match present(files, head.as_ref()) {
            Ok(Present::Current(index)) => (index, None),
            Ok(Present::Other(mut copy)) => {
                // Whatever the writer did in the meantime, a private copy leads to the current head.
                let head = store.head()?.or(head);
                match head.map(|head| bring_up(store.as_ref(), copy.as_mut(), understanding, &head)) {
                    None => (files.scratch()?, None),
                    Some(Ok(notice)) => (copy, notice),
                    Some(Err(ReindexError::Index(e))) => anew(store.as_ref(), files, understanding, &e)?,
                    Some(Err(e)) => return Err(e),
                }
            }
            Err(e) => anew(store.as_ref(), files, understanding, &e)?,
        };
        Ok(ReadAccess { store, index, notice })
    }

    /// Returns the comparisons for the service layer.
    pub fn queries(&self) -> Queries<'_> {
        Queries::new(self.store.as_ref(), self.index.as_ref())
    }

    /// Returns a one-line message if the index on disk was not used unchanged.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }
}

/// Store, index and understanding, open to compare comments.
pub struct CompareAccess {
    reading: ReadAccess,
    understanding: Arc<Analyzer>,
}

impl CompareAccess {
    /// Like [`ReadAccess::open`]; the index's vectors come from this understanding.
    ///
    /// # Errors
    /// As [`ReadAccess::open`], and if the embedder fails.
    pub fn open(
        store: Box<dyn StoreReader>,
        files: &dyn IndexFiles,
        understanding: Arc<Analyzer>,
    ) -> Result<CompareAccess, ReindexError> {
        let reading = ReadAccess::with(store, files, Some(understanding.as_ref()))?;
        Ok(CompareAccess { reading, understanding })
    }

    /// Returns a snapshot of store and index for answering.
    pub fn into_snapshot(self) -> Snapshot {
        Snapshot { store: self.reading.store, index: self.reading.index }
    }

    /// Returns store and index.
    pub fn reading(&self) -> &ReadAccess {
        &self.reading
    }

    pub fn understanding(&self) -> &Arc<Analyzer> {
        &self.understanding
    }

    /// Returns the comparisons for the service layer.
    pub fn comparisons(&self) -> Comparisons<'_> {
        Comparisons { queries: self.reading.queries(), understanding: self.understanding.as_ref() }
    }
}

/// Everything `reindex` needs, open.
pub struct ReindexAccess {
    pub store: Box<dyn StoreReader>,
    pub files: Box<dyn IndexFiles>,
    pub understanding: Arc<Analyzer>,
}

/// What was rebuilt (`reindex`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// The commit it reflects now; none if the store has none.
    pub commit: Option<CommitId>,
    /// Number of records it was built from.
    pub records: u64,
}

impl ReindexAccess {
    /// Rebuilds the index on disk.
    ///
    /// # Errors
    /// [`IndexError::Io`] if a daemon is writing to it.
    pub fn rebuild(&self) -> Result<Rebuilt, ReindexError> {
        let commit = self.store.head()?;
        let mut index = self.files.create()?;
        let records = match &commit {
            Some(head) => reindex::rebuild(self.store.as_ref(), index.as_mut(), self.understanding.as_ref(), head)?,
            None => 0,
        };
        Ok(Rebuilt { commit, records })
    }

    /// Compares the index on disk with the store. Writes nothing; safe while a daemon runs.
    ///
    /// # Errors
    /// [`IndexError::Stale`] if there is no comparable index.
    pub fn check(&self) -> Result<Difference, ReindexError> {
        let index = self.files.snapshot()?;
        let Some(head) = self.store.head()? else {
            let empty = index.commit()?.is_none();
            let foreign = || IndexError::Stale("it reflects a commit, but the store has none".into());
            return if empty { Ok(Difference::default()) } else { Err(foreign().into()) };
        };
        let mut fresh = self.files.scratch()?;
        reindex::check(self.store.as_ref(), index.as_ref(), fresh.as_mut(), self.understanding.as_ref(), &head)
    }
}

enum Present {
    Current(Box<dyn Index>),
    /// A private copy of an index that is at another commit or incomplete.
    Other(Box<dyn Index>),
}

fn present(files: &dyn IndexFiles, head: Option<&CommitId>) -> Result<Present, IndexError> {
    let index = files.snapshot()?;
    if index.staged()?.is_none() && index.commit()?.as_ref() == head {
        return Ok(Present::Current(index));
    }
    drop(index);
    Ok(Present::Other(files.copy()?))
}

fn bring_up(
    store: &dyn StoreReader,
    copy: &mut dyn Index,
    understanding: Option<&Analyzer>,
    head: &CommitId,
) -> Result<Option<String>, ReindexError> {
    match reindex::take_up(store, copy, understanding, head)? {
        0 => Ok(None),
        1 => Ok(Some("the index is 1 change behind the store; it was read with that change".into())),
        n => Ok(Some(format!("the index is {n} changes behind the store; it was read with them"))),
    }
}

fn anew(
    store: &dyn StoreReader,
    files: &dyn IndexFiles,
    understanding: Option<&Analyzer>,
    why: &IndexError,
) -> Result<(Box<dyn Index>, Option<String>), ReindexError> {
    let mut index = files.scratch()?;
    if let Some(head) = store.head()? {
        reindex::take_up(store, index.as_mut(), understanding, &head)?;
    }
    let reason = match why {
        IndexError::Stale(reason) | IndexError::Io(reason) => reason,
    };
    Ok((index, Some(format!("the index was not used: {reason}; the store was read instead, which takes longer"))))
}
