//! Routing of the review UI's calls, and their limits.

use super::call::Call;
use super::people::Arrival;
use super::{decisions, forms, proposals};
use crate::api::request::bad;
use crate::app::blocking_pool::BlockingPool;
use crate::auth::{Caller, bearer};
use crate::body::body;
use crate::cache_control::uncached;
use crate::header::once;
use crate::paths::{REVIEW_UI, whole};
use crate::problem::Problem;
use crate::server::limits::Limits;
use crate::server::proxy_detection::sign;
use crate::server::request_filter::Ends;
use crate::services::Services;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

/// Time limit for an answer, including queueing: the UI waits no longer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(28);
/// Maximum concurrent calls; more are queued.
const MAX_CALLS: usize = 4;

type Answering = fn(&Call<'_>) -> Result<Vec<u8>, Problem>;

/// Method, path and handler of each call.
const CALLS: [(MethodFilter, &str, Answering); 4] = [
    (MethodFilter::POST, "/gates/{gate}", forms::give),
    (MethodFilter::GET, "/rules/pending", proposals::pending),
    (MethodFilter::POST, "/rules/{rule}/approve", decisions::approve),
    (MethodFilter::POST, "/rules/{rule}/reject", decisions::reject),
];

/// Routes all calls; if disabled, answers how to enable them.
pub fn router(services: Arc<Services>, limits: &Limits) -> Router {
    if services.review_ui.is_none() {
        return Router::new().fallback(off);
    }
    let (body_bytes, body_time) = (limits.body_bytes, limits.body_time);
    let server = Server { services, turns: BlockingPool::new(MAX_CALLS, ANSWER_TIMEOUT), body_bytes, body_time };
    let mut router = Router::new();
    for (method, path, answer) in CALLS {
        let server = server.clone();
        let handler = move |Path(path): Path<BTreeMap<String, String>>, request: Request| async move {
            server.answer(answer, path, request).await
        };
        router = router.route(path, on(method, handler));
    }
    router.fallback(unknown).method_not_allowed_fallback(wrong_method).layer(DefaultBodyLimit::max(body_bytes))
}

#[derive(Clone)]
struct Server {
    services: Arc<Services>,
    turns: BlockingPool,
    body_bytes: usize,
    body_time: Duration,
}

impl Server {
    async fn answer(self, answer: Answering, path: BTreeMap<String, String>, request: Request) -> Response {
        let uri = whole(REVIEW_UI, request.uri());
        match self.ask(answer, path, request).await {
            Ok(body) => uncached(([(header::CONTENT_TYPE, "application/json")], body)),
            Err(problem) => {
                if problem.status().is_server_error() {
                    tracing::warn!(
                        path = uri.path(),
                        problem = problem.detail(),
                        "a call of the review UI was rejected"
                    );
                }
                uncached(problem.at(&uri))
            }
        }
    }

    async fn ask(
        self,
        answer: Answering,
        path: BTreeMap<String, String>,
        request: Request,
    ) -> Result<Vec<u8>, Problem> {
        let extensions = request.extensions();
        let caller = extensions.get::<Option<Caller>>().cloned().flatten();
        // Without an address, access is denied.
        let peer = extensions.get::<Ends>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ends| ends.client);
        let (headers, query) = (request.headers().clone(), request.uri().query().unwrap_or_default().to_owned());
        if let Some(ui) = &self.services.review_ui {
            let (token, passed_on) = (bearer(&headers), sign(&request));
            ui.people.admit(&Arrival { peer, is_known: caller.is_some(), token, passed_on })?;
            same_tenant(&headers, &self.services.asked.tenant)?;
        }
        let key = header(&headers, "idempotency-key")?.map(str::to_owned);
        let body = body(request, self.body_bytes, self.body_time).await?;
        let services = self.services;
        let answering = move || {
            let services = services.as_ref();
            let Some(ui) = &services.review_ui else { return Err(switched_off()) };
            answer(&Call { ui, services, path, query, body, key, caller, peer })
        };
        self.turns.take(answering).await?
    }
}

/// Checks that no other tenant is meant.
fn same_tenant(headers: &HeaderMap, ours: &str) -> Result<(), Problem> {
    let Some(named) = header(headers, "x-tenant-id")?.filter(|named| !named.is_empty() && *named != ours) else {
        return Ok(());
    };
    let serves = if ours.is_empty() { "no named tenant".to_owned() } else { format!("the tenant `{ours}`") };
    let shown: String = named.chars().take(80).collect();
    let detail = format!("this daemon serves {serves}, not `{shown}`; ask the daemon of that tenant (redis.tenant)");
    Err(Problem::new(StatusCode::NOT_FOUND, detail))
}

/// Returns a header's value.
fn header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Problem> {
    once(headers, name).map_err(|_| bad(format!("the header `{name}` must be sent exactly once, as plain text")))
}

fn switched_off() -> Problem {
    let detail = "the review UI's API is off; to turn it on, set review_ui.enabled = true and map its ids to people \
                  in review_ui.people";
    Problem::new(StatusCode::NOT_FOUND, detail)
}

async fn off(uri: Uri) -> Problem {
    switched_off().at(&whole(REVIEW_UI, &uri))
}

async fn unknown(uri: Uri) -> Problem {
    let detail = "the review UI has four calls: POST /gates/{gateId}, GET /rules/pending, POST /rules/{ruleId}/approve \
                  and POST /rules/{ruleId}/reject";
    Problem::new(StatusCode::NOT_FOUND, detail).at(&whole(REVIEW_UI, &uri))
}

async fn wrong_method(method: Method, uri: Uri) -> Problem {
    let detail = format!("method {method} not allowed; send decisions with POST, read the list with GET");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail).at(&whole(REVIEW_UI, &uri))
}
