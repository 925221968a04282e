//! The Git host that holds the store too.

use super::error::WiringError;
use super::store::open_store;
use crate::adapters::git::{GitRemote, RemoteOptions};
use crate::app::remote::RemoteCopy;
use crate::config::Config;
use crate::ports::{PushOutcome, Remote, RemoteError, StoreReader};
use std::path::Path;
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

/// Returns where the host is; `None` if there is none.
///
/// # Errors
/// If a file named in the configuration cannot be read.
pub(super) fn remote_options(config: &Config) -> Result<Option<RemoteOptions>, WiringError> {
    let remote = &config.remote;
    if !remote.is_on() {
        return Ok(None);
    }
    remote.check_files()?;
    // Git runs in the store, so a relative path would mean another file.
    let file = |path: &Path| match path == Path::new("") {
        true => Ok(None),
        false => std::path::absolute(path).map(Some),
    };
    let file =
        |path: &Path| file(path).map_err(|source| WiringError::State { path: path.display().to_string(), source });
    Ok(Some(RemoteOptions {
        git: "git".into(),
        url: remote.url.clone(),
        branch: remote.branch(&config.store.branch).to_owned(),
        username: remote.username.clone(),
        token_file: file(&remote.token_file)?,
        ssh_key_file: file(&remote.ssh_key_file)?,
        known_hosts_file: file(&remote.known_hosts_file)?,
        ca_file: file(&remote.ca_file)?,
        limit: remote.limit(),
    }))
}
