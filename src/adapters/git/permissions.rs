//! A store that group members can push to: what Git calls a shared repository. Directories are group-writable and pass
//! the group on to new entries.

use super::error::at;
use crate::ports::StoreError;
use git2::Repository;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Git's key that makes every writing program preserve the group's permissions.
pub(super) const KEY: &str = "core.sharedRepository";

/// Directory mode for group members, including setgid.
const GROUP: u32 = 0o2070;

/// Makes files created by this process group-writable from now on.
pub(super) fn for_the_group() {
    // SAFETY: it only changes the mode of files created later.
    unsafe { libc::umask(0o007) };
}

/// Does the same if the repository is shared.
pub(super) fn follow(repository: &Repository) {
    let shared = repository.config().and_then(|config| config.get_string(KEY)).unwrap_or_default();
    if !matches!(shared.as_str(), "" | "0" | "false" | "umask") {
        for_the_group();
    }
}

/// Gives the group the necessary permissions on a new directory and everything below it.
///
/// # Errors
/// `Git`, with what to do, if that is not permitted: a unit that may not set the setgid bit needs it on the parent
/// directory.
pub(super) fn share(path: &Path) -> Result<(), StoreError> {
    let mode = fs::metadata(path).map_err(at(path, "read"))?.permissions().mode();
    if mode & GROUP != GROUP {
        fs::set_permissions(path, fs::Permissions::from_mode(mode | GROUP)).map_err(|error| {
            let above = path.parent().unwrap_or(path).display();
            StoreError::Git(format!(
                "{} cannot be shared with its group ({error}); run `chmod g+s {above}`, remove it, and create it \
                 again",
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
