//! Where the API lies.

use axum::http::Uri;

pub const ROOT: &str = "/api/v1";

/// A nested router sees the path without the root.
pub fn whole(uri: &Uri) -> Uri {
    format!("{ROOT}{}", uri.path()).parse().unwrap_or_else(|_| uri.clone())
}
