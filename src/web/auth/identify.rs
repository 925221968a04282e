//! Telling who sent a request, and who may look at the pages.
//!
//! What comes to the API is known by its token and never by a cookie, and what comes to the pages by its session and never
//! by a token: no page of another origin can make a browser send either. A proxy may name people to both.

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

/// What everybody may see: the probes, and what it takes to log in.
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
    // Each delivery proves itself.
    "/hooks/",
];
/// Below this programs ask.
const CALLS: &str = "/api/";
/// And here the clients of agents.
const MCP: &str = "/mcp";

/// By what it is known who asks.
#[derive(Clone, Default)]
pub struct Identity {
    /// The hash of the token for programs: two hashes are compared in constant time.
    program: Option<blake3::Hash>,
    people: Option<Arc<People>>,
    proxy: Option<Proxy>,
    oidc: Option<Arc<Oidc>>,
    /// Whether the configuration lets this machine read without logging in.
    reads_anonymously: bool,
}

/// Why a token opens nothing; on requests to the API that carry one.
#[derive(Clone)]
pub struct Unwelcome(pub Problem);

impl Identity {
    /// With a token for programs, which stands for no person.
    pub fn with_program(self, token: &str) -> Identity {
        Identity { program: Some(blake3::hash(token.as_bytes())), ..self }
    }

    /// With people who have tokens.
    pub fn with_people(self, people: People) -> Identity {
        Identity { people: Some(Arc::new(people)), ..self }
    }

    /// With a proxy that names people.
    pub fn with_proxy(self, proxy: Proxy) -> Identity {
        Identity { proxy: Some(proxy), ..self }
    }

    /// With a provider that people log in through.
    pub fn with_oidc(self, oidc: Oidc) -> Identity {
        Identity { oidc: Some(Arc::new(oidc)), ..self }
    }

    /// With pages that whoever asks from this machine may read without logging in.
    pub fn with_anonymous_reading(self) -> Identity {
        Identity { reads_anonymously: true, ..self }
    }

    /// The provider.
    pub(super) fn oidc(&self) -> Option<&Arc<Oidc>> {
        self.oidc.as_ref()
    }

    /// The people.
    pub(super) fn people(&self) -> Option<&Arc<People>> {
        self.people.as_ref()
    }

    /// Whether a program asks that knows the token for programs.
    pub fn is_program(&self, headers: &HeaderMap) -> bool {
        let given = bearer(headers).map(|given| blake3::hash(given.as_bytes()));
        given.is_some() && given == self.program
    }

    /// Who sent a request with these headers.
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
            Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "a defect of feedbackd ended this"))
        })
    }

    /// Whether whoever is nobody may look: from this machine, and not through anything in between.
    fn may_look(&self, request: &Request) -> bool {
        self.reads_anonymously && self.proxy.is_none() && sign(request).is_none()
    }
}

/// Puts an `Extension<Option<Caller>>` on a request, and sends whoever may not look to where one logs in.
pub async fn identify(identity: Arc<Identity>, limits: Limits, mut request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let client = request.extensions().get::<Ends>().map(|ends| ends.client);
    // Before a proxy's header is taken off: its being there says that something passed the request on.
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

/// The token, where the header stands there once and is text.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = only(headers, AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
