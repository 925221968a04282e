//! Compiled-in files, each with its content hash as its tag.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;

/// A compiled-in file.
pub struct Asset {
    /// Its path.
    pub path: Cow<'static, str>,
    kind: &'static str,
    content: Cow<'static, str>,
    hash: String,
}

impl Asset {
    /// Creates a file of this media type.
    pub fn new(path: impl Into<Cow<'static, str>>, kind: &'static str, content: impl Into<Cow<'static, str>>) -> Asset {
        let (path, content) = (path.into(), content.into());
        Asset { path, kind, hash: blake3::hash(content.as_bytes()).to_hex()[..32].to_owned(), content }
    }

    /// Returns its address, which changes with its content.
    pub fn address(&self) -> String {
        format!("{}?v={}", self.path, &self.hash[..8])
    }

    /// Returns the response: empty if the client has the file.
    pub fn answer(&self, headers: &HeaderMap) -> Response {
        let tag = format!("\"{}\"", self.hash);
        let known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
        let known = known.is_some_and(|tags| tags.split(',').any(|known| known.trim() == tag || known.trim() == "*"));
        let head = [(ETAG, tag.as_str()), (CACHE_CONTROL, "public, max-age=86400")];
        if known {
            return (StatusCode::NOT_MODIFIED, head).into_response();
        }
        (head, [(CONTENT_TYPE, self.kind)], self.content.clone().into_owned()).into_response()
    }
}
