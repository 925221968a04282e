//! Errors of libgit2, sorted by what the caller can do about them.

use crate::ports::StoreError;
use git2::{ErrorClass, ErrorCode};
use std::path::Path;

/// Sorts an error of libgit2. It has no error number, so a failing disk is recognized by its class.
pub fn sort(error: &git2::Error) -> StoreError {
    let message = error.message().to_owned();
    match (error.class(), error.code()) {
        (_, ErrorCode::Owner) => StoreError::Git(format!(
            "{message}; run as the owner of the store, or allow it with `git config --global --add safe.directory <store>`"
        )),
        (_, ErrorCode::Locked) => StoreError::Git(format!("{message}; another Git process is running; try again")),
        (ErrorClass::Os | ErrorClass::Filesystem | ErrorClass::NoMemory, _) => {
            StoreError::Io(std::io::Error::other(message))
        }
        (ErrorClass::Odb | ErrorClass::Object | ErrorClass::Tree | ErrorClass::Zlib | ErrorClass::Indexer, _)
        | (ErrorClass::Reference, ErrorCode::GenericError) => {
            StoreError::Damaged(format!("{message}; run `git fsck --full` in the store for details"))
        }
        _ => StoreError::Git(message),
    }
}

/// Adds the location to an I/O error.
pub fn at(path: &Path, doing: &str) -> impl FnOnce(std::io::Error) -> StoreError {
    let place = format!("cannot {doing} {}", path.display());
    move |e| StoreError::Io(std::io::Error::new(e.kind(), format!("{place}: {e}")))
}
