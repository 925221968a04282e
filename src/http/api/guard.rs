//! Who may call: people who are known, and programs with their token. What a page of another origin made a browser send does not come here.

use super::place::whole;
use crate::http::identity::{Caller, Identity, bearer};
use crate::http::problem::Problem;
use crate::http::reply::uncached;
use crate::metrics::{self, HttpRefusal};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::WWW_AUTHENTICATE;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Lets a request pass, or answers 401.
pub async fn admit(identity: Arc<Identity>, request: Request, next: Next) -> Response {
    let known = request.extensions().get::<Option<Caller>>().is_some_and(Option::is_some);
    if known || identity.is_program(request.headers()) {
        return next.run(request).await;
    }
    let (challenge, detail) = match bearer(request.headers()) {
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
