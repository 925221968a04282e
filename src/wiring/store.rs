//! The store: made, opened to read, and the few things that are asked of it directly.

use super::error::WiringError;
use super::template;
use crate::adapters::clock;
use crate::adapters::git::{self, GitReader, InitOutcome, WriterOptions};
use crate::config::Config;
use crate::domain::ids::{CommitId, hex};
use crate::domain::records::layout;
use crate::domain::records::origin::{RostersSince, StoreIdentity};
use crate::domain::rules::lifecycle::roster::Roster;
use crate::domain::rules::lifecycle::succession::roster_hash;
use crate::domain::yaml;
use crate::ports::{StoreError, StoreReader};

/// Makes the store, where there is none.
///
/// # Errors
/// When there is something else, or the disk refuses.
pub fn init_store(config: &Config) -> Result<InitOutcome, WiringError> {
    let identity = StoreIdentity::new(&new_store_id());
    let mut files = template::files();
    files.extend(yaml::render(&identity).ok().map(|text| (layout::STORE.to_owned(), text.into_bytes())));
    let since = RostersSince::new(super::clock::clock().now(), roster_hash("", &Roster::default()));
    files.extend(yaml::render(&since).ok().map(|text| (layout::ROSTERS.to_owned(), text.into_bytes())));
    Ok(git::init(&config.store.path, &files, &config.store.branch, writer_options(config))?)
}

/// An id for a new store: 32 random hexadecimal digits.
pub(super) fn new_store_id() -> String {
    let mut random = [0_u8; 16];
    // The system's own source fails on no system that this runs on; the clock is better than the same id twice.
    if getrandom::fill(&mut random).is_err() {
        random = u128::from(std::process::id()).wrapping_shl(64).wrapping_add(clock::seconds() as u128).to_le_bytes();
    }
    hex(&random)
}

/// A file of the store as it stands now.
///
/// # Errors
/// As [`crate::wiring::reading`].
pub fn read_file(config: &Config, path: &str) -> Result<Option<String>, WiringError> {
    Ok(file_now(config, path)?)
}

/// The same, as the store itself fails.
pub(super) fn file_now(config: &Config, path: &str) -> Result<Option<String>, StoreError> {
    let store = open_store(config)?;
    let Some(head) = store.head()? else { return Ok(None) };
    Ok(store.read(&head, path)?.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// The store, to read: a repository that is one, on the branch that is meant.
pub(super) fn open_store(config: &Config) -> Result<GitReader, StoreError> {
    let store = GitReader::open(&config.store.path)?;
    git::check(&store, &config.store.branch)?;
    Ok(store)
}

/// What a store is called beside the streams: its first commit, which never changes.
pub(super) fn store_id(store: &dyn StoreReader) -> Result<String, StoreError> {
    let Some(head) = store.head()? else { return Ok(name_of(None)) };
    Ok(name_of(store.trace(None, &head, &[])?.root.as_ref()))
}

/// The same, where that commit is known.
pub(super) fn name_of(root: Option<&CommitId>) -> String {
    root.map_or("empty", CommitId::short).to_owned()
}

pub(super) fn writer_options(config: &Config) -> WriterOptions {
    WriterOptions {
        compression: i32::try_from(config.store.compression_level).unwrap_or(1),
        max_packs: usize::try_from(config.store.repack_at_packs).unwrap_or(usize::MAX),
        ..WriterOptions::new(clock::seconds)
    }
}
