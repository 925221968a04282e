//! Store and index, opened for read-only commands.

use super::analyzer::understanding;
use super::error::WiringError;
use super::index::index_files;
use super::store::{make_state_directory, open_store};
use crate::adapters::index::{IndexOrigin, SqliteFiles};
use crate::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use crate::config::Config;
use crate::domain::records::layout;

/// Opens store and index for reading lists: works alongside a running daemon, and loads no catalogue.
///
/// # Errors
/// If there is no store, or it cannot be read.
pub fn reading(config: &Config) -> Result<ReadAccess, WiringError> {
    let files = SqliteFiles { path: config.state.index_file(), made: IndexOrigin::with_any_embedder(layout::VERSION) };
    Ok(ReadAccess::open(Box::new(open_store(config)?), &files)?)
}

/// Like [`reading`], with the understanding needed for comparisons.
///
/// # Errors
/// As [`reading`], and if the embedder cannot be loaded.
pub fn comparing(config: &Config) -> Result<CompareAccess, WiringError> {
    let store = open_store(config)?;
    let understanding = understanding(config)?;
    let files = index_files(config, &understanding);
    Ok(CompareAccess::open(Box::new(store), &files, understanding)?)
}

/// Like [`reindexing`], only for rebuilding the index: the state directory is created first, because paid embeddings
/// are cached in it.
///
/// # Errors
/// As [`reindexing`], and if the state directory cannot be created.
pub fn making_index(config: &Config) -> Result<ReindexAccess, WiringError> {
    open_store(config)?;
    make_state_directory(config)?;
    reindexing(config)
}

/// Opens store and index, for rebuilding or comparing the index.
///
/// # Errors
/// As [`reading`].
pub fn reindexing(config: &Config) -> Result<ReindexAccess, WiringError> {
    let store = Box::new(open_store(config)?);
    let understanding = understanding(config)?;
    let files = Box::new(index_files(config, &understanding));
    Ok(ReindexAccess { store, files, understanding })
}
