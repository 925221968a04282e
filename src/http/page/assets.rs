//! The style sheet, the script and the icon: compiled in, each with the hash of its content as its tag.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::LazyLock;

/// Where the style sheet lies; the address changes with its content.
pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("/assets/page.css", "text/css; charset=utf-8", include_str!("assets/page.css")));
/// Where the script lies.
pub static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("/assets/page.js", "text/javascript; charset=utf-8", include_str!("assets/page.js")));
/// Where the icon lies.
pub static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("/assets/icon.svg", "image/svg+xml", include_str!("assets/icon.svg")));

/// A file that is compiled in.
pub struct Asset {
    path: &'static str,
    kind: &'static str,
    content: &'static str,
    hash: String,
}

impl Asset {
    fn new(path: &'static str, kind: &'static str, content: &'static str) -> Asset {
        Asset { path, kind, content, hash: blake3::hash(content.as_bytes()).to_hex()[..32].to_owned() }
    }

    /// Its address.
    pub fn address(&self) -> String {
        format!("{}?v={}", self.path, &self.hash[..8])
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let tag = format!("\"{}\"", self.hash);
        let known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
        let known = known.is_some_and(|tags| tags.split(',').any(|known| known.trim() == tag || known.trim() == "*"));
        let head = [(ETAG, tag.as_str()), (CACHE_CONTROL, "public, max-age=86400")];
        if known {
            return (StatusCode::NOT_MODIFIED, head).into_response();
        }
        (head, [(CONTENT_TYPE, self.kind)], self.content).into_response()
    }
}

/// Their routes.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let assets: [&'static LazyLock<Asset>; 3] = [&STYLE, &SCRIPT, &ICON];
    assets.into_iter().fold(Router::new(), |router, asset| {
        router.route(asset.path, get(move |headers: HeaderMap| async move { asset.answer(&headers) }))
    })
}
