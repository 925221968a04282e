//! Reading headers that may occur only once.

use axum::http::HeaderMap;
use axum::http::header::AsHeaderName;

/// It occurs more than once, or is not plain text.
pub struct NotOnce;

/// Returns a header's trimmed value; `None` if absent.
///
/// # Errors
/// If it occurs more than once, or is not plain text.
pub fn once(headers: &HeaderMap, name: impl AsHeaderName) -> Result<Option<&str>, NotOnce> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match value.to_str() {
        Ok(text) if values.next().is_none() => Ok(Some(text.trim())),
        _ => Err(NotOnce),
    }
}

/// Returns the same, treating invalid headers as absent.
pub fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    once(headers, name).ok().flatten()
}
