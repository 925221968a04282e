//! Reading a header that may stand there but once.

use axum::http::HeaderMap;
use axum::http::header::AsHeaderName;

/// It stands there more than once, or is no plain text.
pub struct NotOnce;

/// A header's value, without the blanks around it; nothing where it does not stand there.
///
/// # Errors
/// Where it stands there more than once, or is no plain text.
pub fn once(headers: &HeaderMap, name: impl AsHeaderName) -> Result<Option<&str>, NotOnce> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match value.to_str() {
        Ok(text) if values.next().is_none() => Ok(Some(text.trim())),
        _ => Err(NotOnce),
    }
}

/// The same where whatever else stands there is as good as nothing.
pub fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    once(headers, name).ok().flatten()
}
