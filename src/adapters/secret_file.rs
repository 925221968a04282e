//! Small files readable only by the daemon's user, written atomically through a temporary file.

use crate::ports::{PrivateError, PrivateFile, Stamp};
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A file in one of the daemon's directories.
#[derive(Clone, Debug)]
pub struct OwnFile {
    path: PathBuf,
}

impl OwnFile {
    /// Refers to the file at this path, which need not exist yet.
    pub fn new(path: PathBuf) -> OwnFile {
        OwnFile { path }
    }

    fn failed(&self, error: &io::Error) -> PrivateError {
        PrivateError { path: self.path.display().to_string(), why: error.to_string() }
    }

    fn look(&self) -> io::Result<Stamp> {
        match fs::metadata(&self.path) {
            Ok(found) => {
                let changed = i128::from(found.mtime()) * 1_000_000_000 + i128::from(found.mtime_nsec());
                Ok(Some((found.ino(), found.size(), changed)))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn text(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn replace(&self, change: &mut dyn FnMut(Option<&str>) -> Option<String>) -> io::Result<()> {
        let dir = self.path.parent().filter(|dir| *dir != Path::new("")).unwrap_or(Path::new("."));
        if !dir.exists() {
            DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        }
        let lock = File::options().create(true).truncate(false).write(true).open(self.path.with_extension("lock"))?;
        lock.lock()?;
        let Some(text) = change(self.text()?.as_deref()) else { return Ok(()) };
        // Created with owner-only access.
        let mut beside = tempfile::NamedTempFile::new_in(dir)?;
        beside.write_all(text.as_bytes())?;
        beside.as_file().sync_all()?;
        // The machine's administrator may write it for the daemon, which must be able to read it.
        let (owner, ours) = (fs::metadata(dir)?, beside.as_file().metadata()?);
        if owner.uid() != ours.uid() {
            std::os::unix::fs::fchown(beside.as_file(), Some(owner.uid()), Some(owner.gid()))?;
            std::os::unix::fs::fchown(&lock, Some(owner.uid()), Some(owner.gid()))?;
        }
        beside.persist(&self.path).map_err(|error| error.error)?;
        File::open(dir)?.sync_all()
    }
}

/// A file that never exists: nothing is remembered.
pub struct NoFile;

impl PrivateFile for NoFile {
    fn stamp(&self) -> Result<Stamp, PrivateError> {
        Ok(None)
    }

    fn read(&self) -> Result<Option<String>, PrivateError> {
        Ok(None)
    }

    fn change(&self, _: &mut dyn FnMut(Option<&str>) -> Option<String>) -> Result<(), PrivateError> {
        Ok(())
    }
}

impl PrivateFile for OwnFile {
    fn stamp(&self) -> Result<Stamp, PrivateError> {
        self.look().map_err(|error| self.failed(&error))
    }

    fn read(&self) -> Result<Option<String>, PrivateError> {
        self.text().map_err(|error| self.failed(&error))
    }

    fn change(&self, change: &mut dyn FnMut(Option<&str>) -> Option<String>) -> Result<(), PrivateError> {
        self.replace(change).map_err(|error| self.failed(&error))
    }
}
