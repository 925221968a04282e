//! A forge's API, as far as it is used.

use super::rest::RestError;
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;

/// What an API answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForgeAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What was asked for, or what became of a change; null where the status says that there is none.
    pub body: Value,
    /// Where the next page is, where it says so.
    pub next: Option<String>,
    /// What says of a page whether it is another by now.
    pub etag: Option<String>,
    /// How many requests are left.
    pub left: Option<u64>,
    /// When there are more.
    pub more_at: Option<Timestamp>,
    /// How long it asks to wait.
    pub wait: Option<Duration>,
    /// Whether it says that there were too many requests.
    pub is_limited: bool,
}

/// A forge's API.
pub trait ForgeApi: Send + Sync {
    /// Reads a page; may block. `address` is a path, taken from the API's base, or that of a next page as an answer said it.
    /// Where the page is still that of `etag`, the status is 304.
    ///
    /// # Errors
    /// When it cannot be reached, or the answer breaks off or cannot be read. [`RestError::Elsewhere`] where the address, or that
    /// of the next page, is no page of the same server: it stays so.
    fn read(&self, address: &str, etag: Option<&str>) -> Result<ForgeAnswer, RestError>;

    /// Sends a change; may block. Null is no body. It is sent once, and where the answer names another place nobody goes there.
    ///
    /// # Errors
    /// As [`ForgeApi::read`]. Then nobody knows whether it was done.
    fn write(&self, method: &str, address: &str, body: &Value) -> Result<ForgeAnswer, RestError>;
}
