//! Text files named on the command line: read as a whole, replaced atomically.
//!
//! Symbolic links are kept; their targets are replaced.

use super::exit::{CliError, Exit};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Larger than any prompt or rule file.
const MAX_BYTES: u64 = 16 << 20;

/// Reads a text file; `None` if it does not exist. `-` is standard input.
///
/// # Errors
/// If it is not a regular file, is too large, is not UTF-8, or cannot be read.
pub fn read(path: &Path) -> Result<Option<String>, CliError> {
    if path.as_os_str() == "-" {
        return text(path, &mut io::stdin()).map(Some);
    }
    let Some(target) = resolve(path)? else { return Ok(None) };
    let mut file = File::open(&target).map_err(|e| refused("read", path, &e))?;
    text(path, &mut file).map(Some)
}

/// Like [`read`], but the file must exist.
///
/// # Errors
/// As [`read`], and if the file is missing.
pub fn read_existing(path: &Path) -> Result<String, CliError> {
    read(path)?.ok_or_else(|| missing(path))
}

/// Like [`read_existing`], for program output: invalid UTF-8 is replaced.
///
/// # Errors
/// If it is missing, not a regular file, too large, or cannot be read.
pub fn read_output(path: &Path) -> Result<String, CliError> {
    if path.as_os_str() == "-" {
        return bytes(path, &mut io::stdin()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    }
    let target = resolve(path)?.ok_or_else(|| missing(path))?;
    let mut file = File::open(&target).map_err(|e| refused("read", path, &e))?;
    bytes(path, &mut file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Replaces the file atomically: a reader sees either the old or the new text. Permissions are kept; missing
/// directories are created.
///
/// # Errors
/// If it is not a regular file, or cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let target = resolve(path)?;
    let permissions = target.as_deref().map(|file| fs::metadata(file).map(|m| m.permissions())).transpose();
    let replaced = permissions.and_then(|old| replace(target.as_deref().unwrap_or(path), old, text));
    replaced.map_err(|e| refused("write", path, &e))
}

fn replace(path: &Path, permissions: Option<Permissions>, text: &str) -> io::Result<()> {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut file = new_file(directory)?;
    file.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

fn new_file(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".feedbackd-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Minus the umask, as for any new file.
        builder.permissions(Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

/// Resolves a path to its regular file; `None` if it does not exist yet.
fn resolve(path: &Path) -> Result<Option<PathBuf>, CliError> {
    match fs::canonicalize(path) {
        Ok(target) if target.is_file() => Ok(Some(target)),
        Ok(target) => {
            let is = if target.is_dir() { "is a directory" } else { "is not a regular file" };
            Err(CliError::new(Exit::Failure, format!("{} {is}", path.display()), "name a file"))
        }
        Err(e) if e.kind() != ErrorKind::NotFound => Err(refused("open", path, &e)),
        // The link exists but its target does not.
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(CliError::new(
            Exit::Failure,
            format!("{} is a broken link", path.display()),
            "create the file it names, or remove the link",
        )),
        Err(_) => Ok(None),
    }
}

fn text(path: &Path, from: &mut dyn Read) -> Result<String, CliError> {
    let said = || CliError::new(Exit::Failure, format!("{} is not UTF-8 text", path.display()), "save it as UTF-8");
    String::from_utf8(bytes(path, from)?).map_err(|_| said())
}

fn bytes(path: &Path, from: &mut dyn Read) -> Result<Vec<u8>, CliError> {
    let mut bytes = vec![];
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| refused("read", path, &e))?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("{} is larger than {} MiB", path.display(), MAX_BYTES >> 20);
        return Err(CliError::new(Exit::Failure, message, "is it the right file?"));
    }
    Ok(bytes)
}

fn missing(path: &Path) -> CliError {
    CliError::new(Exit::Failure, format!("there is no file {}", path.display()), "check the path")
}

fn refused(what: &str, path: &Path, e: &io::Error) -> CliError {
    CliError::new(Exit::Failure, format!("cannot {what} {}: {e}", path.display()), "check the path and its permissions")
}
