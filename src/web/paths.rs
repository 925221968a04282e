//! Where the API and the review UI's calls lie.

use axum::http::Uri;

/// The API.
pub const API: &str = "/api/v1";
/// The calls of the review UI, whose server keeps `/api` when it passes them on.
pub const REVIEW_UI: &str = "/api/feedback";

/// A nested router sees the path without its root.
pub fn whole(root: &str, uri: &Uri) -> Uri {
    format!("{root}{}", uri.path()).parse().unwrap_or_else(|_| uri.clone())
}
