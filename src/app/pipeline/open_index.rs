//! The index, open for writing, with what is needed to rebuild it.

use crate::ports::{Index, IndexError, IndexFiles};

pub(crate) struct OpenIndex {
    files: Box<dyn IndexFiles + Send>,
    pub open: Box<dyn Index>,
    /// Whether the open index is a stand-in for the one on disk.
    stand_in: bool,
}

impl OpenIndex {
    /// Opens the index on disk, or creates it.
    pub fn new(files: Box<dyn IndexFiles + Send>) -> Result<OpenIndex, IndexError> {
        let open = open(files.as_ref())?;
        Ok(OpenIndex { files, open, stand_in: false })
    }

    /// Opens the index on disk again, or creates it, if it was released.
    pub fn ready(&mut self) -> Result<(), IndexError> {
        if self.stand_in {
            self.open = open(self.files.as_ref())?;
            self.stand_in = false;
        }
        Ok(())
    }

    /// Releases the index on disk and switches to files of another understanding. `stand_in` is a private index.
    pub fn change(&mut self, files: Box<dyn IndexFiles + Send>, stand_in: Box<dyn Index>) {
        (self.files, self.open, self.stand_in) = (files, stand_in, true);
    }

    /// Rebuilds the index.
    pub fn remake(&mut self, reason: &str) -> Result<(), IndexError> {
        tracing::warn!(reason, "rebuilding the index from the store");
        // The old index is closed first: it holds the lock on its file.
        (self.open, self.stand_in) = (self.files.scratch()?, true);
        self.open = self.files.create()?;
        self.stand_in = false;
        Ok(())
    }
}

fn open(files: &dyn IndexFiles) -> Result<Box<dyn Index>, IndexError> {
    match files.open() {
        Err(IndexError::Stale(reason)) => {
            tracing::info!(reason, "rebuilding the index from the store");
            files.create()
        }
        other => other,
    }
}
