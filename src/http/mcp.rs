//! `/mcp`: agents' clients over HTTP. The same callers, hosts, origins and limits as for the API.

use super::api::admit;
use super::body::body;
use super::identity::{Caller, Identity, Scope};
use super::limits::Limits;
use super::reply::uncached;
use super::services::Services;
use crate::mcp::{Desk, Rights, over_http};
use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::Uri;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;

const PATH: &str = "/mcp";

/// The one address, for those who may call.
pub fn router(services: &Services, identity: Arc<Identity>, limits: &Limits) -> Router {
    let desk = Desk::new(Arc::clone(&services.channels), Arc::clone(&services.outcomes));
    let (bytes, time) = (limits.body_bytes, limits.body_time);
    let within = move |request: Request, next: Next| read(bytes, time, request, next);
    Router::new()
        .route_service(PATH, over_http(desk, &origins(limits), bytes))
        .layer(from_fn(within))
        .layer(DefaultBodyLimit::max(bytes))
        .layer(from_fn(move |request: Request, next: Next| admit(Arc::clone(&identity), Uri::clone, request, next)))
}

/// Those that the configuration names, and pages of ours under every name that the gate lets through.
fn origins(limits: &Limits) -> Vec<String> {
    let ours = ["localhost", "127.0.0.1", "[::1]"].into_iter().map(str::to_owned).chain(limits.hosts.iter().cloned());
    let ours = ours.flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]);
    limits.origins.iter().map(|origin| with_port(origin)).chain(ours).collect()
}

/// An origin without a port has that of its scheme.
fn with_port(origin: &str) -> String {
    let (scheme, authority) = origin.split_once("://").unwrap_or(("https", origin));
    let host = authority.rsplit(']').next().unwrap_or(authority);
    match (host.contains(':'), scheme) {
        (true, _) => origin.to_owned(),
        (false, "http") => format!("{origin}:80"),
        (false, _) => format!("{origin}:443"),
    }
}

/// Reads the body within the limits, and says what the caller may do.
async fn read(bytes: usize, time: Duration, request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let (parts, sent) = request.into_parts();
    let (method, headers, extensions) = (parts.method.clone(), parts.headers.clone(), parts.extensions.clone());
    let read = match body(Request::from_parts(parts, sent), bytes, time).await {
        Ok(read) => read,
        Err(problem) => return uncached(problem.at(&uri)).into_response(),
    };
    let mut request = Request::new(Body::from(read));
    (*request.method_mut(), *request.uri_mut()) = (method, uri);
    (*request.headers_mut(), *request.extensions_mut()) = (headers, extensions);
    let caller = request.extensions().get::<Option<Caller>>().cloned().flatten();
    // A program that knows the token for programs is nobody in particular, and may report.
    let report = caller.is_none_or(|caller| caller.may(Scope::Decide).is_ok());
    request.extensions_mut().insert(Rights { report });
    next.run(request).await
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
