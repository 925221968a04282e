//! Who may call: known people, and programs with their token. Requests sent by a browser for another origin's page do
//! not reach here.

use crate::auth::{Caller, Identity, Unwelcome, bearer};
use crate::cache_control::uncached;
use crate::metrics;
use crate::metrics::HttpRefusal;
use crate::problem::Problem;
use axum::extract::Request;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Admits a request, or answers 401; `place` gives its address.
pub async fn admit(identity: Arc<Identity>, place: fn(&Uri) -> Uri, request: Request, next: Next) -> Response {
    let known = request.extensions().get::<Option<Caller>>().is_some_and(Option::is_some);
    if known || identity.is_program(request.headers()) {
        return next.run(request).await;
    }
    let unwelcome = request.extensions().get::<Unwelcome>().map(|unwelcome| unwelcome.0.clone());
    let given = bearer(request.headers()).is_some();
    let problem = unwelcome.unwrap_or_else(|| {
        let detail = "send the header `Authorization: Bearer <token>` with your token (`feedbackd token create`), or \
                      with the one from the file that http.api_token_file names";
        Problem::new(StatusCode::UNAUTHORIZED, detail)
    });
    metrics::http_refused(HttpRefusal::Token);
    let challenge = match (problem.status(), given) {
        (StatusCode::UNAUTHORIZED, true) => Some(r#"Bearer realm="feedbackd", error="invalid_token""#),
        (StatusCode::UNAUTHORIZED, false) => Some(r#"Bearer realm="feedbackd""#),
        _ => None,
    };
    let problem = problem.at(&place(request.uri()));
    (challenge.map(|challenge| [(WWW_AUTHENTICATE, challenge)]), uncached(problem)).into_response()
}
