//! Requests from pages that may change something are accepted only from our own pages: browsers state a page's origin
//! in `Sec-Fetch-Site` and `Origin`. Programs send neither, and must present a token.

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

/// Returns the layer that rejects them. Invalid origins were already rejected with the configuration.
pub fn layer(limits: &Limits) -> CsrfLayer {
    let trust = |layer: CsrfLayer, origin: &String| layer.clone().add_trusted_origin(origin).unwrap_or(layer);
    limits.origins.iter().fold(CsrfLayer::new(), trust)
}

/// Explains the rejection as a problem document.
pub async fn explain(request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let response = next.run(request).await;
    if response.extensions().get::<ProtectionError>().is_none() {
        return response;
    }
    metrics::http_refused(HttpRefusal::Origin);
    uncached(foreign().at(&uri))
}

/// The problem for a page of another origin.
pub fn foreign() -> Problem {
    let detail = "pages of another origin may not call this; call it from a program, or add the origin to http.origins";
    Problem::new(StatusCode::FORBIDDEN, detail)
}
