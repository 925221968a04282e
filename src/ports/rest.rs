//! A server that speaks JSON.

use thiserror::Error;

/// What a server was asked in vain.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RestError {
    /// It cannot be reached, or sends what cannot be read.
    #[error("{0}")]
    Failed(String),
    /// It names another place, where nobody goes: what it is asked with is for it alone.
    #[error("it names a next page on another server, and at no page of its own")]
    Elsewhere,
    /// There was no answer in time.
    #[error("it takes too long")]
    TimedOut,
    /// It answered with this status. Bodies of errors may repeat what was sent, and are not kept.
    #[error("it answers with HTTP status {0}")]
    Status(u16),
    /// The same, from a server of whose errors something is kept.
    #[error("it answers with HTTP status {status}")]
    Said {
        /// The status.
        status: u16,
        /// The code of the error, if it has one: letters, digits, `_`, `.` and `-` alone.
        code: String,
        /// The fields of the request that the error names, of those that were looked for.
        names: Vec<&'static str>,
    },
}

/// A server that takes and gives JSON: what adapters ask of the network.
pub trait Rest: Send + Sync {
    /// Sends a request; `path` is taken from the server's base URL. An empty answer is null.
    fn send(&self, method: &str, path: &str, body: Option<&serde_json::Value>) -> Result<serde_json::Value, RestError>;
}
