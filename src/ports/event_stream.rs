//! A program of a forge that says what happens there, line by line, as long as it runs.

use std::time::Duration;
use thiserror::Error;

/// What a stream brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Streamed {
    /// It is connected: from now on it says what happens.
    Connected,
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line that is too long; it was passed over.
    Oversized,
    /// Nothing within the time.
    Quiet,
    /// It is over, and why.
    Ended(String),
}

/// Why a stream cannot be opened.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct StreamError(pub String);

/// A stream that runs. Dropping it ends it.
pub trait EventStream: Send {
    /// What comes next; waits for it so long. Nothing comes after the end.
    fn next(&mut self, wait: Duration) -> Streamed;
}

/// Where streams come from.
pub trait EventStreams: Send + Sync {
    /// Starts one. It is not connected yet.
    ///
    /// # Errors
    /// When the program cannot be started.
    fn open(&self) -> Result<Box<dyn EventStream>, StreamError>;
}
