//! A JSON server.

use thiserror::Error;

/// Why a request failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RestError {
    /// The server cannot be reached, or its response is unreadable.
    #[error("{0}")]
    Failed(String),
    /// It redirects elsewhere, which is not followed: credentials are for this server only.
    #[error("its next page is on another server, and it cannot be read by page number")]
    Elsewhere,
    /// No response in time.
    #[error("it timed out")]
    TimedOut,
    /// An error status. Error bodies may repeat what was sent, and are not kept.
    #[error("it returned HTTP status {0}")]
    Status(u16),
    /// An error status from a server whose error details are partly kept.
    #[error("it returned HTTP status {status}")]
    Said {
        /// The status.
        status: u16,
        /// The error code, if any: only letters, digits, `_`, `.` and `-`.
        code: String,
        /// The expected request fields that the error names.
        names: Vec<&'static str>,
    },
}

/// A server that exchanges JSON: the adapters' interface to the network.
pub trait Rest: Send + Sync {
    /// Sends a request; `path` is relative to the server's base URL. An empty response is null.
    fn send(&self, method: &str, path: &str, body: Option<&serde_json::Value>) -> Result<serde_json::Value, RestError>;
}
