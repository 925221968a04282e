//! A forge's program that reports events line by line while it runs.

use std::time::Duration;
use thiserror::Error;

/// An item from a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamItem {
    /// Connected: events are reported from now on.
    Connected,
    /// A line, without its line end.
    Line(Vec<u8>),
    /// A line that is too long; it was skipped.
    Oversized,
    /// Nothing arrived in time.
    Quiet,
    /// The stream ended, with the reason.
    Ended(String),
}

/// Why a stream cannot be opened.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct StreamError(pub String);

/// A running stream. Dropping it ends it.
pub trait EventStream: Send {
    /// Returns the next item, waiting at most `wait`. Nothing follows the end.
    fn next(&mut self, wait: Duration) -> StreamItem;
}

/// Opens streams.
pub trait EventStreams: Send + Sync {
    /// Starts a stream, not yet connected.
    ///
    /// # Errors
    /// If the program cannot be started.
    fn open(&self) -> Result<Box<dyn EventStream>, StreamError>;
}
