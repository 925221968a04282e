//! Identification of callers, and access to the pages.
//!
//! API callers are identified by token, never by cookie, and page visitors by session, never by token: no page of
//! another origin can make a browser send either. A proxy may name people to both.

use super::authenticator::People;
use super::caller::Caller;
use super::cookie;
use super::oidc::Oidc;
use super::proxy::Proxy;
use crate::cache_control::uncached;
use crate::header::only;
use crate::metrics;
use crate::metrics::HttpRefusal;
use crate::problem::Problem;
use crate::redirect;
use crate::server::limits::Limits;
use crate::server::proxy_detection::sign;
use crate::server::request_filter::Ends;
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Public paths: the probes, and those required to log in.
const OPEN: [&str; 11] = [
    "/health",
    "/ready",
    "/metrics",
    "/login",
    "/login/",
    "/logout",
    "/assets/",
    "/schemas",
    "/schemas/",
    "/asyncapi.json",
    // Each delivery authenticates itself.
    "/hooks/",
];
/// The path prefix of programs.
const CALLS: &str = "/api/";
/// The path of agents' clients.
const MCP: &str = "/mcp";

/// The means of identifying callers.
#[derive(Clone, Default)]
pub struct Identity {
    /// The hash of the program token: two hashes are compared in constant time.
    program: Option<blake3::Hash>,
    people: Option<Arc<People>>,
    proxy: Option<Proxy>,
    oidc: Option<Arc<Oidc>>,
    /// Whether the configuration lets this machine read without logging in.
    reads_anonymously: bool,
}

/// Why a token is rejected; attached to API requests that carry one.
#[derive(Clone)]
pub struct Unwelcome(pub Problem);

impl Identity {
    /// Adds a program token, which identifies no person.
    pub fn with_program(self, token: &str) -> Identity {
        Identity { program: Some(blake3::hash(token.as_bytes())), ..self }
    }

    /// Adds people with tokens.
    pub fn with_people(self, people: People) -> Identity {
        Identity { people: Some(Arc::new(people)), ..self }
    }

    /// Adds a proxy that names people.
    pub fn with_proxy(self, proxy: Proxy) -> Identity {
        Identity { proxy: Some(proxy), ..self }
    }

    /// Adds a login provider.
    pub fn with_oidc(self, oidc: Oidc) -> Identity {
        Identity { oidc: Some(Arc::new(oidc)), ..self }
    }

    /// Adds pages readable from this machine without logging in.
    pub fn with_anonymous_reading(self) -> Identity {
        Identity { reads_anonymously: true, ..self }
    }

    /// Returns the provider.
    pub(super) fn oidc(&self) -> Option<&Arc<Oidc>> {
        self.oidc.as_ref()
    }

    /// Returns the people.
    pub(super) fn people(&self) -> Option<&Arc<People>> {
        self.people.as_ref()
    }

    /// Reports whether the caller presents the program token.
    pub fn is_program(&self, headers: &HeaderMap) -> bool {
        let given = bearer(headers).map(|given| blake3::hash(given.as_bytes()));
        given.is_some() && given == self.program
    }

    /// Identifies the sender of these headers.
    async fn caller(&self, headers: &HeaderMap, calls: bool, named: Option<String>) -> Result<Option<Caller>, Problem> {
        let Some(people) = self.people.clone() else { return Ok(None) };
        let shown = if calls { bearer(headers) } else { cookie::session(headers) }.map(str::to_owned);
        if named.is_none() && shown.is_none() || calls && self.is_program(headers) {
            return Ok(None);
        }
        let look = move || match (shown, named) {
            (Some(token), _) if calls => people.by_token(&token).map(Some),
            (Some(session), None) => Ok(people.by_session(&session)),
            (_, Some(named)) => people.by_proxy(named).map(Some),
            (None, None) => Ok(None),
        };
        let told = tokio::task::spawn_blocking(look).await;
        told.unwrap_or_else(|_| {
            Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "an internal error; see the daemon's log"))
        })
    }

    /// Reports whether an anonymous caller may read: from this machine, and without an intermediary.
    fn may_look(&self, request: &Request) -> bool {
        self.reads_anonymously && self.proxy.is_none() && sign(request).is_none()
    }
}

/// Adds an `Extension<Option<Caller>>` to a request, and redirects unauthorized visitors to the login.
pub async fn identify(identity: Arc<Identity>, limits: Limits, mut request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let client = request.extensions().get::<Ends>().map(|ends| ends.client);
    // Before the proxy's header is removed: its presence shows that the request was forwarded.
    let may_look = identity.may_look(&request);
    if let Some(proxy) = &identity.proxy {
        let uri = request.uri().clone();
        request = match proxy.verified(request, &limits).await {
            Ok(request) => request,
            Err(problem) => {
                metrics::http_refused(HttpRefusal::Token);
                return uncached(problem.at(&uri));
            }
        };
    }
    let named = match &identity.proxy {
        Some(proxy) => match proxy.take(request.headers_mut(), client) {
            Ok(named) => named,
            Err(problem) => return uncached(problem.at(request.uri())),
        },
        None => None,
    };
    let calls = path.starts_with(CALLS) || path == MCP;
    let caller = match identity.caller(request.headers(), calls, named).await {
        Ok(caller) => caller,
        Err(problem) if calls => {
            request.extensions_mut().insert(Unwelcome(problem));
            None
        }
        Err(problem) => return uncached(problem.at(request.uri())),
    };
    let open = calls || OPEN.iter().any(|open| path == *open || open.ends_with('/') && path.starts_with(open));
    if caller.is_none() && !open && !may_look {
        return log_in_first(&request);
    }
    request.extensions_mut().insert(caller);
    next.run(request).await
}

fn log_in_first(request: &Request) -> Response {
    metrics::http_refused(HttpRefusal::Token);
    if request.method() != Method::GET {
        let detail = "log in first, at /login";
        return uncached(Problem::new(StatusCode::UNAUTHORIZED, detail).at(request.uri()));
    }
    let next = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    uncached(redirect::to(&format!("/login?next={next}"))).into_response()
}

/// Returns the token, if the header occurs once and is text.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = only(headers, AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
