//! Store and index, open for the commands that only read.

use super::analyzer::understanding;
use super::error::WiringError;
use super::index::index_files;
use super::store::{make_state_directory, open_store};
use crate::adapters::index::{Made, SqliteFiles};
use crate::app::queries::reader::{Comparing, Reading, Reindexing};
use crate::config::Config;
use crate::domain::records::layout;

/// Store and index, to read lists: works beside a running daemon, and loads no catalogue.
///
/// # Errors
/// When there is no store, or it cannot be read.
pub fn reading(config: &Config) -> Result<Reading, WiringError> {
    let files = SqliteFiles { path: config.state.index_file(), made: Made::with_any_embedder(layout::VERSION) };
    Ok(Reading::open(Box::new(open_store(config)?), &files)?)
}

/// The same with what texts demand, to compare them.
///
/// # Errors
/// As [`reading`], and when the embedder cannot be loaded.
pub fn comparing(config: &Config) -> Result<Comparing, WiringError> {
    let store = open_store(config)?;
    let understanding = understanding(config)?;
    let files = index_files(config, &understanding);
    Ok(Comparing::open(Box::new(store), &files, understanding)?)
}

/// The same as [`reindexing`], to make the index alone: the state directory is there before anything else, for what an embedder
/// is paid for is kept in it.
///
/// # Errors
/// As [`reindexing`], and where the state directory cannot be made.
pub fn making_index(config: &Config) -> Result<Reindexing, WiringError> {
    open_store(config)?;
    make_state_directory(config)?;
    reindexing(config)
}

/// Store and index, to make the index anew or compare it.
///
/// # Errors
/// As [`reading`].
pub fn reindexing(config: &Config) -> Result<Reindexing, WiringError> {
    let store = Box::new(open_store(config)?);
    let understanding = understanding(config)?;
    let files = Box::new(index_files(config, &understanding));
    Ok(Reindexing { store, files, understanding })
}
