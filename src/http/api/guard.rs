//! Who may call: requests with the token, and none that a page of another origin made a browser send.

use super::place::whole;
use crate::http::problem::Problem;
use crate::http::reply::uncached;
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Lets a request pass, or answers 403 or 401.
pub async fn admit(token: blake3::Hash, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let (status, challenge, detail) = if !is_same_origin(headers) {
        (StatusCode::FORBIDDEN, None, "pages of another origin may not call this; call it from a program")
    } else {
        match bearer(headers) {
            Some(given) if blake3::hash(given.as_bytes()) == token => return next.run(request).await,
            Some(_) => (
                StatusCode::UNAUTHORIZED,
                Some(r#"Bearer realm="feedbackd", error="invalid_token""#),
                "the token is not the one in the file that http.api_token_file names",
            ),
            None => (
                StatusCode::UNAUTHORIZED,
                Some(r#"Bearer realm="feedbackd""#),
                "send the header `Authorization: Bearer <token>` with the token from the file that http.api_token_file names",
            ),
        }
    };
    let challenge = challenge.map(|challenge| [(WWW_AUTHENTICATE, challenge)]);
    (challenge, uncached(Problem::new(status, detail).at(&whole(request.uri())))).into_response()
}

/// Whether the request has no origin, as those of programs, or that of the address it was sent to.
fn is_same_origin(headers: &HeaderMap) -> bool {
    if !headers.contains_key(ORIGIN) {
        return true;
    }
    let origin = only(headers, ORIGIN).and_then(|origin| origin.split_once("://"));
    match (origin, only(headers, HOST)) {
        (Some((_, origin)), Some(host)) => origin.eq_ignore_ascii_case(host),
        _ => false,
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = only(headers, AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// A header's value where it stands there once and is text.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
