//! A small file that nobody but the daemon's user may read.

use thiserror::Error;

/// A small file that nobody but the daemon's user may read, and that several processes change.
pub trait PrivateFile: Send + Sync {
    /// What is another once the file was changed. Cheap.
    ///
    /// # Errors
    /// When it cannot be looked at.
    fn stamp(&self) -> Result<Stamp, PrivateError>;

    /// What stands in it; `None` where there is no file.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self) -> Result<Option<String>, PrivateError>;

    /// Puts another text in its place, at once and as a whole, while nobody else does: what `change` makes of what stands
    /// there. Where it makes nothing, nothing changes.
    ///
    /// # Errors
    /// When it cannot be read or written.
    fn change(&self, change: &mut dyn FnMut(Option<&str>) -> Option<String>) -> Result<(), PrivateError>;
}

/// By what a change of a file is seen: number, size and time of change in nanoseconds; nothing where there is no file.
pub type Stamp = Option<(u64, u64, i128)>;

/// Why a file cannot be used.
#[derive(Debug, Error)]
#[error("{path}: {why}")]
pub struct PrivateError {
    /// The file.
    pub path: String,
    /// Why.
    pub why: String,
}
