//! The Git host that holds the store too.

use super::error::WiringError;
use super::remote_options::remote_options;
use super::store::open_store;
use crate::adapters::git::GitRemote;
use crate::app::remote::RemoteCopy;
use crate::config::Config;
use crate::ports::{PushOutcome, Remote, RemoteError, StoreReader};
use std::time::{Duration, Instant};

/// Returns the copy that the daemon keeps; `None` if there is no host.
///
/// # Errors
/// If the store cannot be opened, or a file named in the configuration cannot be read.
pub(super) fn copy(config: &Config) -> Result<Option<RemoteCopy>, WiringError> {
    let Some(options) = remote_options(config)? else { return Ok(None) };
    let remote = GitRemote::open(&config.store.path, options)?;
    let store = open_store(config)?;
    let seconds = Duration::from_secs;
    let (push, fetch) = (seconds(config.remote.push_every_seconds), seconds(config.remote.fetch_every_seconds));
    Ok(Some(RemoteCopy::new(Box::new(remote), Box::new(store), push, fetch, Instant::now())))
}

/// Asks the host whether it would take the store's head; `None` if there is no host, or nothing to push.
///
/// # Errors
/// If the store cannot be opened, or a file named in the configuration cannot be read; the inner one is the host's.
pub fn rehearse_push(config: &Config) -> Result<Option<Result<PushOutcome, RemoteError>>, WiringError> {
    let Some(options) = remote_options(config)? else { return Ok(None) };
    let store = open_store(config)?;
    let Some(head) = store.head()? else { return Ok(None) };
    Ok(Some(GitRemote::open(&config.store.path, options)?.rehearse(&head)))
}
