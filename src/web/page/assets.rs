//! The style sheet, the script and the icon.

use crate::asset::Asset;
use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;
use std::sync::LazyLock;

/// The style sheet; its address changes with its content.
pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("/assets/page.css", "text/css; charset=utf-8", include_str!("assets/page.css")));
/// The script.
pub static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("/assets/page.js", "text/javascript; charset=utf-8", include_str!("assets/page.js")));
/// The icon.
pub static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("/assets/icon.svg", "image/svg+xml", include_str!("assets/icon.svg")));

/// Returns their routes.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let assets: [&'static LazyLock<Asset>; 3] = [&STYLE, &SCRIPT, &ICON];
    assets.into_iter().fold(Router::new(), |router, asset| {
        router.route(&asset.path, get(move |headers: HeaderMap| async move { asset.answer(&headers) }))
    })
}
