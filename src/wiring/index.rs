//! The location of the index and its build parameters.

use crate::adapters::index::{IndexOrigin, SqliteFiles};
use crate::app::comments::analyzer::Analyzer;
use crate::config::Config;
use crate::domain::records::layout;
use crate::ports::{Index, IndexError, IndexFiles};

pub(super) fn index_files(config: &Config, understanding: &Analyzer) -> SqliteFiles {
    SqliteFiles {
        path: config.state.index_file(),
        made: IndexOrigin { embedder: understanding.id().to_owned(), layout: layout::VERSION },
    }
}

/// Index files that are never written: for a run whose results are discarded.
pub(super) struct ScratchFiles(pub(super) SqliteFiles);

impl IndexFiles for ScratchFiles {
    fn snapshot(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }

    fn open(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }

    fn create(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }

    fn copy(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }

    fn scratch(&self) -> Result<Box<dyn Index>, IndexError> {
        self.0.scratch()
    }
}
