//! The routes, and the three that need no token.

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

/// What the endpoints look at.
#[derive(Clone)]
pub struct Endpoints {
    /// What the tasks reported.
    pub readiness: Arc<Readiness>,
    /// The metrics.
    pub metrics: Exporter,
    /// What answers beside them; where there is nothing, there are only these three.
    pub services: Option<Arc<Services>>,
    /// By what it is known who asks.
    pub identity: Arc<Identity>,
    /// How large a request to the API may be, and how slow.
    pub limits: Limits,
}

/// All routes. Every error is a problem document.
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

/// The process is alive; nothing more.
async fn health() -> Response {
    uncached(Json(serde_json::json!({ "status": "alive", "version": env!("CARGO_PKG_VERSION") })))
}

/// 200 where everything works, else 503; the body says which check fails and why.
async fn ready(State(endpoints): State<Endpoints>, request: Request) -> Response {
    let mut report = endpoints.readiness.report(Instant::now());
    // To strangers a path and a host say more than they need to know.
    report.sees = report.sees.filter(|_| sign(&request).is_none());
    let status = if report.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, uncached(Json(report))).into_response()
}

async fn show_metrics(State(endpoints): State<Endpoints>) -> Response {
    metrics::ready(endpoints.readiness.report(Instant::now()).ready);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], endpoints.metrics.render()).into_response()
}

async fn not_found(uri: Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is /health, /ready, /metrics and what /api/v1/openapi.json lists")
        .at(&uri)
}

async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, format!("{method} is not possible here, only GET")).at(&uri)
}
