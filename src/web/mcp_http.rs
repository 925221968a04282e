//! `/mcp`: agents' clients over HTTP. The same callers, hosts, origins and limits as for the API.
//!
//! Requests that the library needlessly rejects are adapted here: a client that accepts only JSON, and several messages
//! in one body, which the revision 2025-03-26 allows.

use super::api::admit;
use super::auth::{Caller, Identity, Scope};
use super::body::body;
use super::cache_control::uncached;
use super::mcp::{McpState, Rights, over_http};
use super::server::limits::Limits;
use super::services::Services;
use axum::body::{Body, to_bytes};
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const PATH: &str = "/mcp";

/// Returns the single route, for authorized callers.
pub fn router(services: &Services, identity: Arc<Identity>, limits: &Limits) -> Router {
    let desk = McpState::new(Arc::clone(&services.channels), Arc::clone(&services.outcomes));
    let (bytes, time) = (limits.body_bytes, limits.body_time);
    let within = move |request: Request, next: Next| read(bytes, time, request, next);
    Router::new()
        .route_service(PATH, over_http(desk, &origins(limits), bytes))
        .layer(from_fn(within))
        .layer(DefaultBodyLimit::max(bytes))
        .layer(from_fn(move |request: Request, next: Next| admit(Arc::clone(&identity), Uri::clone, request, next)))
}

/// Returns the configured origins, and our own under every name that the gate admits.
fn origins(limits: &Limits) -> Vec<String> {
    let ours = ["localhost", "127.0.0.1", "[::1]"].into_iter().map(str::to_owned).chain(limits.hosts.iter().cloned());
    let ours = ours.flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]);
    limits.origins.iter().map(|origin| with_port(origin)).chain(ours).collect()
}

/// Adds the scheme's default port to an origin without one.
fn with_port(origin: &str) -> String {
    let (scheme, authority) = origin.split_once("://").unwrap_or(("https", origin));
    let host = authority.rsplit(']').next().unwrap_or(authority);
    match (host.contains(':'), scheme) {
        (true, _) => origin.to_owned(),
        (false, "http") => format!("{origin}:80"),
        (false, _) => format!("{origin}:443"),
    }
}

/// Reads the body within the limits, and determines the caller's permissions.
async fn read(bytes: usize, time: Duration, request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let (parts, sent) = request.into_parts();
    let (method, headers, extensions) = (parts.method.clone(), parts.headers.clone(), parts.extensions.clone());
    let read = match body(Request::from_parts(parts, sent), bytes, time).await {
        Ok(read) => read,
        Err(problem) => return uncached(problem.at(&uri)).into_response(),
    };
    let caller = extensions.get::<Option<Caller>>().cloned().flatten();
    // A program with the program token is no particular person, and may report.
    let report = caller.is_none_or(|caller| caller.may(Scope::Decide).is_ok());
    let request = |body: Body| {
        let mut request = Request::new(body);
        (*request.method_mut(), *request.uri_mut()) = (method.clone(), uri.clone());
        (*request.headers_mut(), *request.extensions_mut()) = (headers.clone(), extensions.clone());
        if accepts_json(&headers) {
            request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        }
        request.extensions_mut().insert(Rights { report });
        request
    };
    if method != Method::POST {
        return next.run(request(Body::from(read))).await;
    }
    let messages: Vec<Box<RawValue>> = match serde_json::from_slice::<Value>(&read) {
        Ok(Value::Array(_)) => serde_json::from_slice(&read).unwrap_or_default(),
        Ok(_) => return next.run(request(Body::from(read))).await,
        Err(error) => return refused(-32700, &format!("the body is not JSON: {error}")),
    };
    if messages.is_empty() || messages.len() > MAX_BATCH {
        return refused(-32600, &format!("send one message, or a list of 1 to {MAX_BATCH}"));
    }
    if headers.get("mcp-protocol-version").is_some_and(|version| version != "2025-03-26") {
        return refused(-32600, "revision 2025-06-18 removed lists of messages; send one message at a time");
    }
    let mut answers: Vec<Box<RawValue>> = Vec::new();
    for message in messages {
        let answer = next.clone().run(request(Body::from(message.get().to_owned()))).await;
        // A notification has no answer.
        if answer.status() == StatusCode::ACCEPTED {
            continue;
        }
        let bytes = to_bytes(answer.into_body(), usize::MAX).await.unwrap_or_default();
        let read = serde_json::from_slice(&bytes).or_else(|_| {
            let text = String::from_utf8_lossy(&bytes);
            serde_json::value::to_raw_value(&error(-32600, &text))
        });
        answers.extend(read);
    }
    match answers.is_empty() {
        true => StatusCode::ACCEPTED.into_response(),
        false => uncached(Json(answers)),
    }
}

/// Maximum number of messages in one body.
const MAX_BATCH: usize = 32;

/// Reports whether a client accepts the answers, which are always JSON: explicitly or by default.
fn accepts_json(headers: &HeaderMap) -> bool {
    let mut types = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
        .peekable();
    types.peek().is_none() || types.any(|kind| matches!(kind.as_str(), "application/json" | "application/*" | "*/*"))
}

fn error(code: i32, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": why } })
}

/// Returns a JSON-RPC error for an unknown message.
fn refused(code: i32, why: &str) -> Response {
    (StatusCode::BAD_REQUEST, uncached(Json(error(code, why)))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_without_a_port_has_that_of_its_scheme() {
        assert_eq!(with_port("https://a.example"), "https://a.example:443");
        assert_eq!(with_port("http://a.example"), "http://a.example:80");
        assert_eq!(with_port("http://a.example:3000"), "http://a.example:3000");
        assert_eq!(with_port("http://[::1]"), "http://[::1]:80");
    }
}
