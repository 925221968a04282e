//! The index, open for writing, and what it takes to make it again.

use crate::ports::{Index, IndexError, IndexFiles};

pub(crate) struct OpenIndex {
    files: Box<dyn IndexFiles + Send>,
    pub open: Box<dyn Index>,
    /// Whether what is open only holds the place of the one on disk.
    stand_in: bool,
}

impl OpenIndex {
    /// Opens the one on disk, or makes it.
    pub fn new(files: Box<dyn IndexFiles + Send>) -> Result<OpenIndex, IndexError> {
        let open = open(files.as_ref())?;
        Ok(OpenIndex { files, open, stand_in: false })
    }

    /// Opens the one on disk, or makes it, where it was let go.
    pub fn ready(&mut self) -> Result<(), IndexError> {
        if self.stand_in {
            self.open = open(self.files.as_ref())?;
            self.stand_in = false;
        }
        Ok(())
    }

    /// Lets go of the one on disk, for files of another understanding. `stand_in` is a private one.
    pub fn change(&mut self, files: Box<dyn IndexFiles + Send>, stand_in: Box<dyn Index>) {
        (self.files, self.open, self.stand_in) = (files, stand_in, true);
    }

    /// Makes it again.
    pub fn remake(&mut self, reason: &str) -> Result<(), IndexError> {
        tracing::warn!(reason, "the index is made again from the store");
        // The old one goes first: it holds the lock on its file.
        (self.open, self.stand_in) = (self.files.scratch()?, true);
        self.open = self.files.create()?;
        self.stand_in = false;
        Ok(())
    }
}

fn open(files: &dyn IndexFiles) -> Result<Box<dyn Index>, IndexError> {
    match files.open() {
        Err(IndexError::Stale(reason)) => {
            tracing::info!(reason, "the index is made again from the store");
            files.create()
        }
        other => other,
    }
}
