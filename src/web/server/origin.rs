//! What may change something and comes from a page is taken only from pages of ours: browsers say in `Sec-Fetch-Site` and
//! `Origin` where a page is from. Programs send neither, and have to show a token.

use super::limits::Limits;
use crate::cache_control::uncached;
use crate::metrics;
use crate::metrics::HttpRefusal;
use crate::problem::Problem;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use tower_http::csrf::{CsrfLayer, ProtectionError};

/// Refuses them. Origins that cannot be ones were refused with the configuration.
pub fn layer(limits: &Limits) -> CsrfLayer {
    let trust = |layer: CsrfLayer, origin: &String| layer.clone().add_trusted_origin(origin).unwrap_or(layer);
    limits.origins.iter().fold(CsrfLayer::new(), trust)
}

/// Says why, as everything here does.
pub async fn explain(request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let response = next.run(request).await;
    if response.extensions().get::<ProtectionError>().is_none() {
        return response;
    }
    metrics::http_refused(HttpRefusal::Origin);
    uncached(foreign().at(&uri))
}

/// A page of another origin asks.
pub fn foreign() -> Problem {
    let detail =
        "pages of another origin may not call this; call it from a program, or list the origin in http.origins";
    Problem::new(StatusCode::FORBIDDEN, detail)
}
