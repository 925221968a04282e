//! The handler of calls, and its limits.

use super::guard;
use super::idempotency;
use super::idempotency::{Once, Turn};
use super::operation::{Decides, Operation, Verb};
use super::pointers::faults;
use super::request;
use super::request::ApiRequest;
use super::response::{ApiResponse, lists};
use super::table;
use crate::app::blocking_pool::BlockingPool;
use crate::auth::{Caller, Identity};
use crate::body::body;
use crate::cache_control::uncached;
use crate::paths::{API, whole};
use crate::problem::Problem;
use crate::server::limits::Limits;
use crate::services::Services;
use axum::extract::rejection::PathRejection;
use axum::extract::{DefaultBodyLimit, Path, Request};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use axum::{Router, middleware::Next};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Maximum time for an answer, including the wait for its turn.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of concurrent calls; more wait for their turn.
const MAX_CALLS: usize = 4;

/// The handler and its limits.
#[derive(Clone)]
struct Api {
    services: Arc<Services>,
    turns: BlockingPool,
    body_bytes: usize,
    body_time: Duration,
    once: Once,
}

impl Api {
    async fn answer(
        &self,
        operation: &'static Operation,
        request: Request,
        path: BTreeMap<String, String>,
    ) -> Response {
        let uri = whole(API, request.uri());
        let known = text(request.headers(), &header::IF_NONE_MATCH);
        match self.ask(operation, request, path).await {
            Ok(told) if operation.verb == Verb::Get => tagged(told, known.as_deref()),
            Ok(told) => uncached(([(header::CONTENT_TYPE, "application/json")], told.body)),
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

    async fn ask(
        &self,
        operation: &'static Operation,
        request: Request,
        path: BTreeMap<String, String>,
    ) -> Result<ApiResponse, Problem> {
        let query = request::query(request.uri().query().unwrap_or_default(), operation.query)?;
        let caller = request.extensions().get::<Option<Caller>>().cloned().flatten();
        let if_match = text(request.headers(), &header::IF_MATCH);
        let key =
            idempotency::key(request.headers())?.map(str::to_owned).filter(|_| operation.decides != Decides::Nothing);
        let body = body(request, self.body_bytes, self.body_time).await?;
        let asked = ApiRequest { path, query, body, caller, if_match };
        let running = match &key {
            Some(key) => match self.once.begin(principal(&asked), key, payload(operation, &asked))? {
                Turn::Done(answer) => return answer,
                Turn::Go(running) => Some(running),
            },
            None => None,
        };
        let services = Arc::clone(&self.services);
        let answering = move || {
            let answer = (operation.call)(&services, &asked).map_err(|problem| pointed(problem, operation, &asked));
            // Stored under its key even if the caller no longer waits.
            if let Some(running) = running {
                running.ended(&answer);
            }
            answer
        };
        self.turns.take(answering).await?
    }
}

/// Returns the owner of the keys.
fn principal(asked: &ApiRequest) -> &str {
    asked.caller.as_ref().map_or("", |caller| &caller.reviewer)
}

/// Returns the hash of everything that identifies a call.
fn payload(operation: &Operation, asked: &ApiRequest) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let query = asked.path.iter().chain(&asked.query).flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
    let parts = [operation.id.as_bytes(), asked.if_match.as_deref().unwrap_or_default().as_bytes()];
    for part in parts.into_iter().chain(query).chain([asked.body.as_ref()]) {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    *hasher.finalize().as_bytes()
}

/// Adds pointers to a body's faults to a problem.
fn pointed(problem: Problem, operation: &Operation, asked: &ApiRequest) -> Problem {
    let Some(body) = operation.body.as_ref().filter(|_| problem.status() == StatusCode::UNPROCESSABLE_ENTITY) else {
        return problem;
    };
    let faults = faults(body.schema, &asked.body);
    if faults.is_empty() { problem } else { problem.with("errors", faults) }
}

/// Returns an answer with its tag, or an empty one if the tag is known.
fn tagged(told: ApiResponse, known: Option<&str>) -> Response {
    let tag = told.tag();
    let head = [(header::CACHE_CONTROL, "private, no-cache"), (header::ETAG, tag.as_str())];
    if known.is_some_and(|known| lists(known, &tag)) {
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    (head, [(header::CONTENT_TYPE, "application/json")], told.body).into_response()
}

/// Returns all values of a header as one, as HTTP permits.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let all: Vec<&str> = headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
    (!all.is_empty()).then(|| all.join(","))
}

/// Returns the routes of all calls, for authorized callers.
pub fn router(services: Arc<Services>, identity: Arc<Identity>, limits: &Limits) -> Router {
    let api = Api {
        services,
        turns: BlockingPool::new(MAX_CALLS, ANSWER_TIMEOUT),
        body_bytes: limits.body_bytes,
        body_time: limits.body_time,
        once: Once::default(),
    };
    let mut router = Router::new();
    for operation in table::all() {
        let filter = match operation.verb {
            Verb::Get => MethodFilter::GET,
            Verb::Post => MethodFilter::POST,
        };
        let api = api.clone();
        let handler = move |path: Result<Path<BTreeMap<String, String>>, PathRejection>, request: Request| async move {
            match path {
                Ok(Path(path)) => api.answer(operation, request, path).await,
                Err(rejection) => Problem::new(rejection.status(), rejection.body_text())
                    .at(&whole(API, request.uri()))
                    .into_response(),
            }
        };
        router = router.route(operation.path, on(filter, handler));
    }
    router
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(limits.body_bytes))
        .layer(from_fn(move |request: Request, next: Next| {
            guard::admit(Arc::clone(&identity), |uri| whole(API, uri), request, next)
        }))
}

async fn unknown(uri: Uri) -> Problem {
    let detail = format!("unknown call; {API}/openapi.json lists the calls");
    Problem::new(StatusCode::NOT_FOUND, detail).at(&whole(API, &uri))
}

async fn wrong_method(method: Method, uri: Uri) -> Problem {
    let detail = format!("method {method} not allowed; {API}/openapi.json lists the methods");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail).at(&whole(API, &uri))
}
