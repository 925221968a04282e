//! Opening store and index to read, without the daemon and without a write.
//!
//! The index on disk is used where it is good and up to date. Otherwise a private copy is brought up to the store's
//! head, or one is made from nothing, and thrown away afterwards; a sentence says so.

use super::{Comparisons, Queries};
use crate::admin::reindex;
use crate::admin::reindex::{Difference, ReindexError};
use crate::channels::service::Snapshot;
use crate::comments::analyzer::Understanding;
use crate::ports::{Index, IndexError, IndexFiles, StoreReader};
use crate::text::ids::CommitId;
use serde::Serialize;
use std::sync::Arc;

/// Store and index, open to read lists. No remark is compared with another, so nothing that understands remarks is loaded.
pub struct Reading {
    store: Box<dyn StoreReader>,
    index: Box<dyn Index>,
    notice: Option<String>,
}

impl Reading {
    /// Opens the index beside the store, or makes a private one that is as good.
    ///
    /// # Errors
    /// Where the store cannot be read, or the temporary directory fails.
    pub fn open(store: Box<dyn StoreReader>, files: &dyn IndexFiles) -> Result<Reading, ReindexError> {
        Reading::with(store, files, None)
    }

    fn with(
        store: Box<dyn StoreReader>,
        files: &dyn IndexFiles,
        understanding: Option<&Understanding>,
    ) -> Result<Reading, ReindexError> {
        // The head first: an index that is ahead of it has been taken further meanwhile.
        let head = store.head()?;
        let (index, notice) = match present(files, head.as_ref()) {
            Ok(Present::Current(index)) => (index, None),
            Ok(Present::Other(mut copy)) => {
                // Whatever the writer did meanwhile, a private copy leads to the head as it is now.
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
        Ok(Reading { store, index, notice })
    }

    /// What the service layer answers with it.
    pub fn queries(&self) -> Queries<'_> {
        Queries::new(self.store.as_ref(), self.index.as_ref())
    }

    /// One line for people where the index on disk was not used as it is.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }
}

/// Store, index and understanding, open to compare remarks.
pub struct Comparing {
    reading: Reading,
    understanding: Arc<Understanding>,
}

impl Comparing {
    /// As [`Reading::open`]; the vectors of the index are those of this understanding.
    ///
    /// # Errors
    /// As [`Reading::open`], and where the embedder fails.
    pub fn open(
        store: Box<dyn StoreReader>,
        files: &dyn IndexFiles,
        understanding: Arc<Understanding>,
    ) -> Result<Comparing, ReindexError> {
        let reading = Reading::with(store, files, Some(understanding.as_ref()))?;
        Ok(Comparing { reading, understanding })
    }

    /// Store and index, for who answers with them.
    pub fn into_snapshot(self) -> Snapshot {
        Snapshot { store: self.reading.store, index: self.reading.index }
    }

    /// Store and index.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    pub fn understanding(&self) -> &Arc<Understanding> {
        &self.understanding
    }

    /// What the service layer answers with it.
    pub fn comparisons(&self) -> Comparisons<'_> {
        Comparisons { queries: self.reading.queries(), understanding: self.understanding.as_ref() }
    }
}

/// Everything `reindex` needs, open.
pub struct Reindexing {
    pub store: Box<dyn StoreReader>,
    pub files: Box<dyn IndexFiles>,
    pub understanding: Arc<Understanding>,
}

/// What was rebuilt (`reindex`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// The commit it reflects now; none where the store has none.
    pub commit: Option<CommitId>,
    /// How many records it was made from.
    pub records: u64,
}

impl Reindexing {
    /// Makes the index on disk anew.
    ///
    /// # Errors
    /// [`IndexError::Io`] where a daemon writes to it.
    pub fn rebuild(&self) -> Result<Rebuilt, ReindexError> {
        let commit = self.store.head()?;
        let mut index = self.files.create()?;
        let records = match &commit {
            Some(head) => reindex::rebuild(self.store.as_ref(), index.as_mut(), self.understanding.as_ref(), head)?,
            None => 0,
        };
        Ok(Rebuilt { commit, records })
    }

    /// Compares the index on disk with the store. Writes nothing; works beside a daemon.
    ///
    /// # Errors
    /// [`IndexError::Stale`] where there is no index, or none that can be compared.
    pub fn check(&self) -> Result<Difference, ReindexError> {
        let index = self.files.snapshot()?;
        let Some(head) = self.store.head()? else {
            let empty = index.commit()?.is_none();
            let foreign = || IndexError::Stale("it reflects a commit, and the store has none".into());
            return if empty { Ok(Difference::default()) } else { Err(foreign().into()) };
        };
        let mut fresh = self.files.scratch()?;
        reindex::check(self.store.as_ref(), index.as_ref(), fresh.as_mut(), self.understanding.as_ref(), &head)
    }
}

enum Present {
    Current(Box<dyn Index>),
    /// A private copy of one that is at another commit, or half way.
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
    understanding: Option<&Understanding>,
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
    understanding: Option<&Understanding>,
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
