//! The store: creating it, opening it for reading, and a few direct queries.

use super::error::WiringError;
use super::remote_options::remote_options;
use super::template;
use crate::adapters::clock;
use crate::adapters::git::{self, CommitKey, GitReader, InitOutcome, WriterOptions};
use crate::config::Config;
use crate::domain::records::layout;
use crate::domain::records::origin::{RostersSince, StoreIdentity};
use crate::domain::rules::lifecycle::roster::{Reviewer, Roster};
use crate::domain::rules::lifecycle::roster_edit::with_first;
use crate::domain::rules::lifecycle::signature::usable;
use crate::domain::rules::lifecycle::succession::roster_hash;
use crate::ports::{RemoteError, StoreError, StoreReader};
use crate::text::ids::{CommitId, hex};
use crate::text::yaml;
use std::sync::Arc;

/// Creates the store if there is none: a copy of the one at the Git host, if that has one, else a new one. The members
/// of its group may push to a shared one.
///
/// # Errors
/// If something else is there, the host does not answer, or the disk fails.
pub fn init_store(config: &Config, shared: bool) -> Result<InitOutcome, WiringError> {
    if let Some(outcome) = copy_from_host(config, shared)? {
        return Ok(outcome);
    }
    let identity = StoreIdentity::new(&new_store_id());
    let mut files = template::files();
    files.extend(yaml::render(&identity).ok().map(|text| (layout::STORE.to_owned(), text.into_bytes())));
    let since = RostersSince::new(super::clock::clock().now(), roster_hash("", &Roster::default()));
    files.extend(yaml::render(&since).ok().map(|text| (layout::ROSTERS.to_owned(), text.into_bytes())));
    Ok(git::init(&config.store.path, &files, &config.store.branch, writer_options(config)?, shared)?)
}

/// Like [`init_store`], but never makes a new one.
///
/// # Errors
/// As [`init_store`]; and if there is no host, or it has no such branch.
pub fn copy_store(config: &Config, shared: bool) -> Result<InitOutcome, WiringError> {
    let what = if config.remote.is_on() { "has no such branch" } else { "is not set (remote.url)" };
    let nothing = || RemoteError::Git(format!("the Git host {what}: there is nothing to copy")).into();
    copy_from_host(config, shared)?.ok_or_else(nothing)
}

/// Creates the store as a copy of the one at the Git host, if there is none yet; `None` if there is no host, or it has
/// no such branch.
///
/// # Errors
/// If something else is there, the host does not answer, or the disk fails.
pub(super) fn copy_from_host(config: &Config, shared: bool) -> Result<Option<InitOutcome>, WiringError> {
    let Some(remote) = remote_options(config)? else { return Ok(None) };
    let (path, branch) = (&config.store.path, &config.store.branch);
    Ok(git::init_from(path, branch, remote, &writer_options(config)?, shared)?)
}

/// Adds the first people to the roster, in the name of `who`, like a push. A running daemon picks it up.
///
/// # Errors
/// The inner one gives the reason why the roster is unchanged; the outer one, why the store cannot be read or written.
pub fn add_to_roster(config: &Config, people: &[Reviewer], who: &str) -> Result<Result<CommitId, String>, WiringError> {
    open_store(config)?;
    let names: Vec<&str> = people.iter().map(|person| person.id.as_str()).collect();
    let subject = format!("Add {} to the roster", names.join(", "));
    let (path, branch) = (&config.store.path, &config.store.branch);
    Ok(git::commit_aside(path, branch, layout::ROSTER, who, &subject, |text| with_first(text, people))?)
}

/// Generates an id for a new store: 32 random hexadecimal digits.
pub(super) fn new_store_id() -> String {
    let mut random = [0_u8; 16];
    // The system's source fails on no supported system; the clock is better than a repeated id.
    if getrandom::fill(&mut random).is_err() {
        random = u128::from(std::process::id()).wrapping_shl(64).wrapping_add(clock::seconds() as u128).to_le_bytes();
    }
    hex(&random)
}

/// Creates the state directory if it does not exist.
///
/// # Errors
/// If it cannot be created.
pub(super) fn make_state_directory(config: &Config) -> Result<(), WiringError> {
    let dir = &config.state.dir;
    std::fs::create_dir_all(dir).map_err(|source| WiringError::State { path: dir.display().to_string(), source })
}

/// A file of the store as it stands now.
///
/// # Errors
/// As [`crate::wiring::reading`].
pub fn read_file(config: &Config, path: &str) -> Result<Option<String>, WiringError> {
    Ok(file_now(config, path)?)
}

/// Like [`read_file`], with the store's own errors.
pub(super) fn file_now(config: &Config, path: &str) -> Result<Option<String>, StoreError> {
    let store = open_store(config)?;
    let Some(head) = store.head()? else { return Ok(None) };
    Ok(store.read(&head, path)?.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// Opens the store for reading: checks that it is a repository, on the configured branch.
pub(super) fn open_store(config: &Config) -> Result<GitReader, StoreError> {
    let store = GitReader::open(&config.store.path)?;
    git::check(&store, &config.store.branch)?;
    Ok(store)
}

/// Returns a store's id alongside the streams: its first commit, which never changes.
pub(super) fn store_id(store: &dyn StoreReader) -> Result<String, StoreError> {
    let Some(head) = store.head()? else { return Ok(name_of(None)) };
    Ok(name_of(store.trace(None, &head, &[])?.root.as_ref()))
}

/// Like [`store_id`], for a known first commit.
pub(super) fn name_of(root: Option<&CommitId>) -> String {
    root.map_or("empty", CommitId::short).to_owned()
}

/// Returns the keys that identify the daemon's commits; empty if they are not signed.
///
/// # Errors
/// If the file cannot be read, or contains no such key.
pub fn commit_keys(config: &Config) -> Result<Vec<String>, WiringError> {
    let path = &config.store.signing_public_key_file;
    if path.as_os_str().is_empty() {
        return Ok(commit_key(config)?.map(|key| key.public()).into_iter().collect());
    }
    let text = std::fs::read_to_string(path)
        .map_err(|e| WiringError::Signing(format!("{} cannot be read: {e}", path.display())))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let keys: Vec<String> = lines.map(str::to_owned).collect();
    match keys.iter().find_map(|key| usable(key).err()) {
        Some(why) => Err(WiringError::Signing(format!("{}: {why}", path.display()))),
        None => Ok(keys),
    }
}

/// Checks whether commits can be signed, if required.
///
/// # Errors
/// What is wrong with the key.
pub(super) fn check_commit_key(config: &Config) -> Result<(), WiringError> {
    commit_key(config).map(drop)
}

fn commit_key(config: &Config) -> Result<Option<CommitKey>, WiringError> {
    let path = &config.store.signing_key_file;
    if path.as_os_str().is_empty() {
        return Ok(None);
    }
    CommitKey::read(path).map(Some).map_err(WiringError::Signing)
}

pub(super) fn writer_options(config: &Config) -> Result<WriterOptions, WiringError> {
    Ok(WriterOptions {
        key: commit_key(config)?.map(Arc::new),
        compression: i32::try_from(config.store.compression_level).unwrap_or(1),
        max_packs: usize::try_from(config.store.max_packs).unwrap_or(usize::MAX),
        ..WriterOptions::new(clock::seconds)
    })
}
