//! The part of a forge's API that is used.

use super::rest::RestError;
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;

/// An API response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForgeAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The requested data, or the result of a change; null if the status implies none.
    pub body: Value,
    /// The address of the next page, if given.
    pub next: Option<String>,
    /// The page's version tag.
    pub etag: Option<String>,
    /// The number of requests left.
    pub left: Option<u64>,
    /// When the limit resets.
    pub more_at: Option<Timestamp>,
    /// The requested waiting time.
    pub wait: Option<Duration>,
    /// Whether it reports too many requests.
    pub is_limited: bool,
}

/// A forge's API.
pub trait ForgeApi: Send + Sync {
    /// Reads a page; may block. `address` is a path relative to the API's base, or that of a next page as given in a
    /// response. If the page still matches `etag`, the status is 304.
    ///
    /// # Errors
    /// If the API cannot be reached, or the response is truncated or unreadable. [`RestError::Elsewhere`] if the
    /// address, or that of the next page, is not on the same server: this is permanent.
    fn read(&self, address: &str, etag: Option<&str>) -> Result<ForgeAnswer, RestError>;

    /// Sends a change; may block. Null means no body. It is sent once, and redirects are not followed.
    ///
    /// # Errors
    /// As [`ForgeApi::read`]. It is then unknown whether the change was made.
    fn write(&self, method: &str, address: &str, body: &Value) -> Result<ForgeAnswer, RestError>;
}
