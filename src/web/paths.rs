//! Path prefixes of the API and the review UI's calls.

use axum::http::Uri;

/// The API.
pub const API: &str = "/api/v1";
/// The review UI's calls; its server keeps `/api` when forwarding them.
pub const REVIEW_UI: &str = "/api/feedback";

/// Restores the full path: a nested router sees it without its root.
pub fn whole(root: &str, uri: &Uri) -> Uri {
    format!("{root}{}", uri.path()).parse().unwrap_or_else(|_| uri.clone())
}
