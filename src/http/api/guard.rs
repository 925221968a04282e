//! Who may call: requests with the token. What a page of another origin made a browser send does not come here.

use super::place::whole;
use crate::http::problem::Problem;
use crate::http::reply::uncached;
use crate::metrics::{self, HttpRefusal};
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Lets a request pass, or answers 401.
pub async fn admit(token: blake3::Hash, request: Request, next: Next) -> Response {
    let (challenge, detail) = match bearer(request.headers()) {
        Some(given) if blake3::hash(given.as_bytes()) == token => return next.run(request).await,
        Some(_) => (
            r#"Bearer realm="feedbackd", error="invalid_token""#,
            "the token is not the one in the file that http.api_token_file names",
        ),
        None => (
            r#"Bearer realm="feedbackd""#,
            "send the header `Authorization: Bearer <token>` with the token from the file that http.api_token_file names",
        ),
    };
    metrics::http_refused(HttpRefusal::Token);
    let problem = Problem::new(StatusCode::UNAUTHORIZED, detail).at(&whole(request.uri()));
    ([(WWW_AUTHENTICATE, challenge)], uncached(problem)).into_response()
}

/// The token, where the header stands there once and is text.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (scheme, token) = values.next()?.to_str().ok()?.split_once(' ')?;
    (values.next().is_none() && scheme.eq_ignore_ascii_case("bearer")).then(|| token.trim())
}
