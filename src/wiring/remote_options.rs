//! Where the Git host is and how to log in there, from the configuration.

use super::error::WiringError;
use crate::adapters::git::RemoteOptions;
use crate::config::Config;
use std::path::{Path, PathBuf};

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

/// Git runs in the store, so a relative path would mean another file there.
fn file(path: &Path) -> Result<Option<PathBuf>, WiringError> {
    if path == Path::new("") {
        return Ok(None);
    }
    let absolute = std::path::absolute(path);
    absolute.map(Some).map_err(|source| WiringError::State { path: path.display().to_string(), source })
}
