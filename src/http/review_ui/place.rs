//! Where the calls lie.

use axum::http::Uri;

/// The UI's server keeps `/api` when it passes calls on.
pub const ROOT: &str = "/api/feedback";

/// A nested router sees the path without the root.
pub fn whole(uri: &Uri) -> Uri {
    format!("{ROOT}{}", uri.path()).parse().unwrap_or_else(|_| uri.clone())
}
