//! The webhook handler, and its limits.

use crate::app::blocking_pool::BlockingPool;
use crate::app::forges::deliveries::{DeliveryResult, Forge, delivery_of};
use crate::body::body;
use crate::cache_control::uncached;
use crate::domain::intake::forge::Kind;
use crate::header::only;
use crate::metrics;
use crate::metrics::DeliveryOutcome;
use crate::problem::Problem;
use crate::server::limits::Limits;
use crate::services::Services;
use axum::extract::{DefaultBodyLimit, Path, Request};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of concurrent deliveries; more wait for their turn.
const MAX_DELIVERIES: usize = 4;
/// Maximum processing time; forges resend failed deliveries later.
const TAKEN_WITHIN: Duration = Duration::from_secs(30);

/// Returns the route `POST /hooks/{name}`, followed by the secret for forges that cannot sign.
pub fn router(services: Arc<Services>, limits: &Limits) -> Router {
    let turns = BlockingPool::new(MAX_DELIVERIES, TAKEN_WITHIN);
    let server = Server { services, turns, bytes: limits.body_bytes, time: limits.body_time };
    let shown = server.clone();
    let signed =
        move |Path(name): Path<String>, request: Request| async move { server.answer(name, None, request).await };
    let secret = move |Path((name, secret)): Path<(String, String)>, request: Request| async move {
        shown.answer(name, Some(secret), request).await
    };
    Router::new()
        .route("/hooks/{name}", post(signed))
        .route("/hooks/{name}/{secret}", post(secret))
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(limits.body_bytes))
}

#[derive(Clone)]
struct Server {
    services: Arc<Services>,
    turns: BlockingPool,
    bytes: usize,
    time: Duration,
}

impl Server {
    async fn answer(self, name: String, secret: Option<String>, request: Request) -> Response {
        // Never the original path: it may contain the secret.
        let at: Uri = format!("/hooks/{name}").parse().unwrap_or_default();
        match self.take(name, secret, request).await {
            Ok(answer) => uncached((StatusCode::ACCEPTED, Json(answer))),
            Err(problem) => {
                metrics::forge_delivery(DeliveryOutcome::Refused);
                uncached(problem.at(&at))
            }
        }
    }

    async fn take(self, name: String, secret: Option<String>, request: Request) -> Result<Value, Problem> {
        let Some(hooks) = &self.services.hooks else { return Err(unknown(&name)) };
        let found = hooks.forges.connected.get(&name).zip(hooks.locks.get(&name));
        let Some((forge, lock)) = found else { return Err(unknown(&name)) };
        let headers = request.headers().clone();
        is_json(&headers, forge.kind)?;
        let body = body(request, self.bytes, self.time).await?;
        if !lock.opens(forge.kind, &headers, secret.as_deref(), &body) {
            return Err(Problem::new(StatusCode::FORBIDDEN, unsigned(forge)));
        }
        let said: Value = serde_json::from_slice(&body)
            .ok()
            .filter(Value::is_object)
            .ok_or_else(|| Problem::new(StatusCode::BAD_REQUEST, "the body is not a JSON object"))?;
        let (event, delivery) = (event(forge.kind, &headers), delivery_of(&body));
        let (forges, forge) = (Arc::clone(&hooks.forges), forge.clone());
        let taken = self.turns.take(move || forges.take(&forge, &delivery, &event, &said)).await?;
        let taken = taken.map_err(|error| Problem::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string()))?;
        Ok(match taken {
            DeliveryResult::Review => json!({ "taken": "review" }),
            DeliveryResult::FollowUp => json!({ "taken": "told" }),
            DeliveryResult::Before => json!({ "taken": "before" }),
            DeliveryResult::Nothing(reason) => json!({ "taken": "nothing", "reason": reason, "why": reason.why() }),
        })
    }
}

/// Checks that the body is sent as JSON.
fn is_json(headers: &HeaderMap, kind: Kind) -> Result<(), Problem> {
    let sent = only(headers, header::CONTENT_TYPE.as_str()).unwrap_or_default();
    let sent = sent.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // Gerrit's plugin uses its own content type, or none.
    if sent == "application/json" || kind == Kind::Gerrit && matches!(sent.as_str(), "" | "text/plain") {
        return Ok(());
    }
    let detail = match sent.as_str() {
        "application/x-www-form-urlencoded" => {
            "the webhook sends a form; set its content type to application/json in the forge's settings"
        }
        _ => "the webhook must send application/json",
    };
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail))
}

/// Returns the event named in the forge's header.
fn event(kind: Kind, headers: &HeaderMap) -> String {
    let names: &[&str] = match kind {
        Kind::Github => &["x-github-event"],
        Kind::Gitlab => &["x-gitlab-event"],
        Kind::Gitea => &["x-gitea-event-type", "x-gitea-event"],
        Kind::Forgejo => &["x-forgejo-event-type", "x-gitea-event-type", "x-forgejo-event", "x-gitea-event"],
        Kind::Gerrit => &[],
    };
    names.iter().find_map(|name| only(headers, *name)).unwrap_or_default().to_owned()
}

fn unsigned(forge: &Forge) -> String {
    let how = match forge.kind {
        Kind::Github => "the header X-Hub-Signature-256",
        Kind::Gitlab => "the header X-Gitlab-Token or webhook-signature",
        Kind::Gitea => "the header X-Gitea-Signature",
        Kind::Forgejo => "the header X-Forgejo-Signature or X-Gitea-Signature",
        Kind::Gerrit => "the secret at the end of the address",
    };
    format!(
        "{how} is missing or wrong; set the webhook's secret to the one in secret_files of the forge `{}`",
        forge.name
    )
}

async fn wrong_method(method: Method) -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, format!("method {method} not allowed; use POST"))
}

fn unknown(name: &str) -> Problem {
    let shown: String = name.chars().take(40).collect();
    let detail = format!("no forge is named `{shown}`; connect it with [[forges.connected]] in the configuration");
    Problem::new(StatusCode::NOT_FOUND, detail)
}
