//! Uncacheable responses.

use axum::http::header;
use axum::response::{IntoResponse, Response};

pub fn uncached(body: impl IntoResponse) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], body).into_response()
}
