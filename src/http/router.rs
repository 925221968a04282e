//! The routes, and the three that need no token.

use super::api::{self, Api};
use super::limits::Limits;
use super::problem::Problem;
use super::reply::uncached;
use crate::app::health::Readiness;
use crate::metrics::Exporter;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri, header};
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
    /// The API; where there is none, its paths say how to have it.
    pub api: Option<Api>,
    /// How large a request to the API may be, and how slow.
    pub limits: Limits,
}

/// All routes. Every error is a problem document.
pub fn router(endpoints: Endpoints) -> Router {
    let api = api::router(endpoints.api.clone(), &endpoints.limits);
    Router::new()
        .route("/health", get(health))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(endpoints)
        .nest(api::ROOT, api)
}

/// The process is alive; nothing more.
async fn health() -> Response {
    uncached(Json(serde_json::json!({ "status": "alive", "version": env!("CARGO_PKG_VERSION") })))
}

/// 200 where everything works, else 503; the body says which check fails and why.
async fn ready(State(endpoints): State<Endpoints>) -> Response {
    let report = endpoints.readiness.report(Instant::now());
    let status = if report.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, uncached(Json(report))).into_response()
}

async fn metrics(State(endpoints): State<Endpoints>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], endpoints.metrics.render()).into_response()
}

async fn not_found(uri: Uri) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is /health, /ready, /metrics and what /api/v1/openapi.json lists")
        .at(&uri)
}

async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, format!("{method} is not possible here, only GET")).at(&uri)
}
