//! The routes, including the three that need no token.

use super::api;
use super::auth::{Identity, identify, login};
use super::cache_control::uncached;
use super::hooks;
use super::mcp_http;
use super::page::{self, Pages};
use super::paths;
use super::problem::Problem;
use super::review_ui;
use super::schemas;
use super::server::limits::Limits;
use super::server::origin;
use super::server::proxy_detection::sign;
use super::services::Services;
use crate::app::admin::health::Readiness;
use crate::metrics;
use crate::metrics::Exporter;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use std::sync::Arc;
use std::time::Instant;

/// The state shared by the endpoints.
#[derive(Clone)]
pub struct Endpoints {
    /// The tasks' reports.
    pub readiness: Arc<Readiness>,
    /// Exports the metrics.
    pub metrics: Exporter,
    /// The services for other routes; without them there are only these three.
    pub services: Option<Arc<Services>>,
    /// Identifies the caller.
    pub identity: Arc<Identity>,
    /// Limits on the size and slowness of API requests.
    pub limits: Limits,
}

/// Returns all routes. Every error is a problem document.
pub fn router(endpoints: Endpoints) -> Router {
    let (services, identity, limits) =
        (endpoints.services.clone(), Arc::clone(&endpoints.identity), endpoints.limits.clone());
    let mut router = Router::new()
        .route("/health", get(health))
        .route("/ready", get(ready))
        .route("/metrics", get(show_metrics))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(endpoints.clone());
    router = router.merge(login(Arc::clone(&identity)));
    if let Some(services) = services {
        router = router
            .nest(paths::API, api::router(Arc::clone(&services), Arc::clone(&identity), &limits))
            .nest(paths::REVIEW_UI, review_ui::router(Arc::clone(&services), &limits))
            .merge(hooks::router(Arc::clone(&services), &limits))
            .merge(schemas::router(&services.schemas))
            .merge(mcp_http::router(&services, Arc::clone(&identity), &limits))
            .merge(page::router(Pages::new(services, Arc::clone(&endpoints.readiness)), &limits));
    }
    router
        .layer(from_fn({
            let limits = limits.clone();
            move |request: Request, next: Next| identify(Arc::clone(&identity), limits.clone(), request, next)
        }))
        .layer(origin::layer(&limits))
        .layer(from_fn(origin::explain))
}

/// Reports only that the process is alive.
async fn health() -> Response {
    uncached(Json(serde_json::json!({ "status": "alive", "version": env!("CARGO_PKG_VERSION") })))
}

/// Returns 200 if everything works, else 503; the body names the failed check and the reason.
async fn ready(State(endpoints): State<Endpoints>, request: Request) -> Response {
    let mut report = endpoints.readiness.report(Instant::now());
    // Paths and hosts are not disclosed to strangers.
    report.sees = report.sees.filter(|_| sign(&request).is_none());
    let status = if report.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, uncached(Json(report))).into_response()
}

async fn show_metrics(State(endpoints): State<Endpoints>) -> Response {
    metrics::ready(endpoints.readiness.report(Instant::now()).ready);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], endpoints.metrics.render()).into_response()
}

async fn not_found(uri: Uri) -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "not found; use /health, /ready, /metrics or a call that /api/v1/openapi.json \
                                         lists",
    )
    .at(&uri)
}

async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, format!("method {method} not allowed; use GET")).at(&uri)
}
