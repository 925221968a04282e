//! A store that the members of its group push to: what Git calls a shared repository. Directories can be written by the group
//! and hand it on to what is made in them.

use super::error::at;
use crate::ports::StoreError;
use git2::Repository;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Git's key, which makes every program that writes keep the rights of the group.
pub(super) const KEY: &str = "core.sharedRepository";

/// What members of the group need of a directory, and that it hands the group on.
const GROUP: u32 = 0o2070;

/// Lets what this process makes from now on be written by the group.
pub(super) fn for_the_group() {
    // SAFETY: it changes the mode of files that are made later, and nothing else.
    unsafe { libc::umask(0o007) };
}

/// The same, where the repository is shared.
pub(super) fn follow(repository: &Repository) {
    let shared = repository.config().and_then(|config| config.get_string(KEY)).unwrap_or_default();
    if !matches!(shared.as_str(), "" | "0" | "false" | "umask") {
        for_the_group();
    }
}

/// Gives the group what it needs of a directory and all below it, which was just made.
///
/// # Errors
/// `Git`, with what to do, where that is not allowed: a unit that may set no such bit needs it on the directory above.
pub(super) fn share(path: &Path) -> Result<(), StoreError> {
    let mode = fs::metadata(path).map_err(at(path, "read"))?.permissions().mode();
    if mode & GROUP != GROUP {
        fs::set_permissions(path, fs::Permissions::from_mode(mode | GROUP)).map_err(|error| {
            let above = path.parent().unwrap_or(path).display();
            StoreError::Git(format!(
                "{} cannot be shared with its group ({error}); set `chmod g+s {above}` before, remove it, and make it again",
                path.display()
            ))
        })?;
    }
    for entry in fs::read_dir(path).map_err(at(path, "list"))?.flatten() {
        if entry.path().is_dir() {
            share(&entry.path())?;
        }
    }
    Ok(())
}
