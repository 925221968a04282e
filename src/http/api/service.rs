//! What answers calls, and within which limits.

use super::asked::{self, Asked};
use super::guard;
use super::operation::{Operation, Verb};
use super::operations::OPERATIONS;
use super::place::{ROOT, whole};
use crate::http::identity::{Caller, Identity};
use crate::http::limits::Limits;
use crate::http::problem::Problem;
use crate::http::reply::uncached;
use crate::http::services::Services;
use crate::metrics::{self, HttpRefusal};
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Request};
use axum::http::{Method, StatusCode, Uri, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use axum::{Router, middleware::Next};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinError;
use tokio::time::timeout;

/// An answer must be there after so long, the wait for its turn included.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// So many calls are answered at the same time; more wait for their turn.
const MAX_CALLS: usize = 4;

/// What answers, and within which limits.
#[derive(Clone)]
struct Api {
    services: Arc<Services>,
    calls: Arc<Semaphore>,
    body_bytes: usize,
    body_time: Duration,
}

impl Api {
    async fn answer(
        &self,
        operation: &'static Operation,
        request: Request,
        path: BTreeMap<String, String>,
    ) -> Response {
        let uri = whole(request.uri());
        match self.ask(operation, request, path).await {
            Ok(body) => uncached(([(header::CONTENT_TYPE, "application/json")], body)),
            Err(problem) => {
                if problem.status().is_server_error() {
                    tracing::warn!(call = operation.id, problem = problem.detail(), "a call cannot be answered");
                }
                let wait =
                    (problem.status() == StatusCode::SERVICE_UNAVAILABLE).then_some([(header::RETRY_AFTER, "5")]);
                (wait, uncached(problem.at(&uri))).into_response()
            }
        }
    }

    async fn body(&self, request: Request) -> Result<Bytes, Problem> {
        let read = timeout(self.body_time, Bytes::from_request(request, &())).await;
        let (why, problem) = match read {
            Ok(Ok(body)) => return Ok(body),
            Ok(Err(rejection)) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                let detail = format!("the body has more than {} bytes; send less of the text", self.body_bytes);
                (HttpRefusal::Body, Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail))
            }
            Ok(Err(rejection)) => {
                (HttpRefusal::Malformed, Problem::new(rejection.status(), "the body cannot be read; send it again"))
            }
            Err(_) => {
                let detail = format!("the body was not complete after {} seconds", self.body_time.as_secs());
                (HttpRefusal::SlowBody, Problem::new(StatusCode::REQUEST_TIMEOUT, detail))
            }
        };
        metrics::http_refused(why);
        Err(problem)
    }

    async fn ask(
        &self,
        operation: &'static Operation,
        request: Request,
        path: BTreeMap<String, String>,
    ) -> Result<Vec<u8>, Problem> {
        let query = asked::query(request.uri().query().unwrap_or_default(), operation.query)?;
        let caller = request.extensions().get::<Option<Caller>>().cloned().flatten();
        let body = self.body(request).await?;
        let asked = Asked { path, query, body, caller };
        let (calls, services) = (Arc::clone(&self.calls), Arc::clone(&self.services));
        let work = async move {
            let turn = calls.acquire_owned().await;
            // A call that nobody waits for any longer still has its turn until it ends.
            tokio::task::spawn_blocking(move || {
                let _turn = turn;
                (operation.call)(&services, &asked)
            })
            .await
        };
        match timeout(ANSWER_TIMEOUT, work).await {
            Ok(ended) => ended.unwrap_or_else(|error| Err(defect(&error))),
            Err(_) => {
                let seconds = ANSWER_TIMEOUT.as_secs();
                let detail = format!("there was no answer within {seconds} seconds; try again later, or ask for less");
                Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail))
            }
        }
    }
}

/// All calls, for those who may.
pub fn router(services: Arc<Services>, identity: Arc<Identity>, limits: &Limits) -> Router {
    let api = Api {
        services,
        calls: Arc::new(Semaphore::new(MAX_CALLS)),
        body_bytes: limits.body_bytes,
        body_time: limits.body_time,
    };
    let mut router = Router::new();
    for operation in OPERATIONS {
        let filter = match operation.verb {
            Verb::Get => MethodFilter::GET,
            Verb::Post => MethodFilter::POST,
        };
        let api = api.clone();
        let handler = move |path: Result<Path<BTreeMap<String, String>>, PathRejection>, request: Request| async move {
            match path {
                Ok(Path(path)) => api.answer(operation, request, path).await,
                Err(rejection) => {
                    Problem::new(rejection.status(), rejection.body_text()).at(&whole(request.uri())).into_response()
                }
            }
        };
        router = router.route(operation.path, on(filter, handler));
    }
    router
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(limits.body_bytes))
        .layer(from_fn(move |request: Request, next: Next| guard::admit(Arc::clone(&identity), request, next)))
}

async fn unknown(uri: Uri) -> Problem {
    let detail = format!("there is no such call; {ROOT}/openapi.json lists them");
    Problem::new(StatusCode::NOT_FOUND, detail).at(&whole(&uri))
}

async fn wrong_method(method: Method, uri: Uri) -> Problem {
    let detail = format!("{method} is not possible here; {ROOT}/openapi.json says what is");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail).at(&whole(&uri))
}

fn defect(error: &JoinError) -> Problem {
    // What it says may hold what was sent.
    let what = if error.is_panic() { "a defect of feedbackd ended the call" } else { "the daemon is stopping" };
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, what)
}
