//! Renaming a tenant's keys in Redis to those with the tenant in braces, while no daemon runs.

use super::error::WiringError;
use super::store::{open_store, writer_options};
use super::streams::redis_options;
use crate::adapters::git::GitPurger;
use crate::adapters::redis::{self, Renaming};
use crate::config::Config;

/// Returns what would be renamed; changes nothing.
///
/// # Errors
/// If the configuration has no braces, a name is taken, or Redis cannot be reached.
pub async fn renamings(config: &Config) -> Result<Vec<Renaming>, WiringError> {
    Ok(redis::renamings(&redis_options(config)?).await?)
}

/// Renames the keys, and returns how many.
///
/// # Errors
/// As [`renamings`]; also if a daemon writes to the store.
pub async fn retag(config: &Config) -> Result<usize, WiringError> {
    let store = open_store(config)?;
    // It holds the lock of the store's writer: a running daemon would create the old keys again.
    let mut lock = GitPurger::open(&config.store.path, store.branch(), writer_options(config)?)?;
    lock.lock()?;
    let renamings = renamings(config).await?;
    let renamed = redis::rename(&redis_options(config)?, &renamings).await?;
    drop(lock);
    Ok(renamed)
}
