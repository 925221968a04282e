//! A small file readable only by the daemon's user.

use thiserror::Error;

/// A small file readable only by the daemon's user, and changed by several processes.
pub trait PrivateFile: Send + Sync {
    /// Returns a stamp that changes with the file. Cheap.
    ///
    /// # Errors
    /// If it cannot be checked.
    fn stamp(&self) -> Result<Stamp, PrivateError>;

    /// Returns its content; `None` if there is no file.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&self) -> Result<Option<String>, PrivateError>;

    /// Atomically replaces the content with the result of `change`, excluding other writers. If that is `None`, nothing
    /// changes.
    ///
    /// # Errors
    /// If it cannot be read or written.
    fn change(&self, change: &mut dyn FnMut(Option<&str>) -> Option<String>) -> Result<(), PrivateError>;
}

/// Detects changes of a file: number, size and modification time in nanoseconds; `None` if there is no file.
pub type Stamp = Option<(u64, u64, i128)>;

/// Why a file cannot be used.
#[derive(Debug, Error)]
#[error("{path}: {why}")]
pub struct PrivateError {
    /// The file.
    pub path: String,
    /// The reason.
    pub why: String,
}
