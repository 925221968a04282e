//! Which requests are answered: those sent to one of our names, not by a page of another origin, and not too often.
//!
//! A page shown by a browser can make its own name resolve to this machine (DNS rebinding); the requested name reveals
//! it. API authorization is not checked here.

use super::limits::Limits;
use super::origin;
use crate::header::only;
use crate::metrics;
use crate::metrics::HttpRefusal;
use crate::problem::Problem;
use axum::http::header::{HOST, ORIGIN, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;

/// The monitoring endpoints, answered when nothing else is.
const PROBES: [&str; 3] = ["/health", "/ready", "/metrics"];
/// Number of addresses above which those without recent requests are dropped.
const MANY_CLIENTS: usize = 1_024;

/// Admits requests, or states why not.
pub struct Gate {
    hosts: Vec<String>,
    origins: Vec<String>,
    rate: DefaultKeyedRateLimiter<IpAddr>,
}

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The client.
    pub client: IpAddr,
    /// The address it connected to.
    pub ours: SocketAddr,
}

impl Gate {
    pub fn new(limits: &Limits) -> Gate {
        let quota = Quota::per_second(NonZeroU32::new(limits.requests_per_second).unwrap_or(NonZeroU32::MIN));
        Gate { hosts: limits.hosts.clone(), origins: limits.origins.clone(), rate: RateLimiter::keyed(quota) }
    }

    /// Returns the response to a request that is not admitted. `crowded`: only probes are answered on this connection.
    pub fn refuse(&self, request: &Parts, ends: Ends, crowded: bool) -> Option<Response> {
        let (why, problem) = self.objection(request, ends, crowded)?;
        metrics::http_refused(why);
        Some(refusal(problem.at(&request.uri)))
    }

    fn objection(&self, request: &Parts, ends: Ends, crowded: bool) -> Option<(HttpRefusal, Problem)> {
        if !self.is_ours(request, ends.ours) {
            let detail = "unknown host name in `Host`; use this machine's address, or add the name to http.hosts";
            return Some((HttpRefusal::Host, Problem::new(StatusCode::MISDIRECTED_REQUEST, detail)));
        }
        // Requests that may change something are checked further, by the browser's own headers.
        if request.method.is_safe() && !is_same_origin(&request.headers, &self.origins) {
            return Some((HttpRefusal::Origin, origin::foreign()));
        }
        if PROBES.contains(&request.uri.path()) {
            return None;
        }
        if crowded {
            return Some((HttpRefusal::Connections, crowd()));
        }
        if self.rate.len() > MANY_CLIENTS {
            self.rate.retain_recent();
        }
        self.rate.check_key(&ends.client).is_err().then(|| {
            let detail = "too many requests in a second; slow down, or raise http.requests_per_second";
            (HttpRefusal::Rate, Problem::new(StatusCode::TOO_MANY_REQUESTS, detail))
        })
    }

    /// Reports whether every name the request is sent to is one of ours. HTTP/1.0 programs need not name one; no
    /// browser is among them.
    fn is_ours(&self, request: &Parts, ours: SocketAddr) -> bool {
        let of_uri = request.uri.authority().is_none_or(|authority| self.knows(authority.host(), ours));
        let named = match only(&request.headers, HOST) {
            Some(host) => host.parse::<Authority>().is_ok_and(|authority| self.knows(authority.host(), ours)),
            None => request.version == Version::HTTP_10 && !request.headers.contains_key(HOST),
        };
        of_uri && named
    }

    fn knows(&self, host: &str, ours: SocketAddr) -> bool {
        let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
        match host.parse::<IpAddr>() {
            Ok(address) if address.is_loopback() || address.to_canonical() == ours.ip().to_canonical() => true,
            _ => {
                host.eq_ignore_ascii_case("localhost") || self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host))
            }
        }
    }
}

/// The problem for too many connections.
pub fn crowd() -> Problem {
    let detail = "too many connections; try again later, or raise http.max_connections and \
                  http.max_connections_per_client";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail)
}

/// Returns a problem and closes the connection.
fn refusal(problem: Problem) -> Response {
    let later = matches!(problem.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    let mut response = crate::cache_control::uncached(problem);
    if later {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response.into_response()
}

/// Reports whether the request has no origin, as from programs, or has the address it was sent to or a trusted one.
fn is_same_origin(headers: &HeaderMap, trusted: &[String]) -> bool {
    if !headers.contains_key(ORIGIN) {
        return true;
    }
    let origin = only(headers, ORIGIN);
    if origin.is_some_and(|origin| trusted.iter().any(|trusted| trusted == origin)) {
        return true;
    }
    let origin = origin.and_then(|origin| origin.split_once("://"));
    match (origin, only(headers, HOST)) {
        (Some((_, origin)), Some(host)) => origin.eq_ignore_ascii_case(host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn status(gate: &Gate, request: &str, headers: &[(&str, &str)]) -> Option<StatusCode> {
        let mut builder = Request::builder().uri(request);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let (parts, ()) = builder.body(()).expect("a request").into_parts();
        let ends = Ends { client: [192, 0, 2, 9].into(), ours: ([192, 0, 2, 1], 9464).into() };
        gate.refuse(&parts, ends, false).map(|response| response.status())
    }

    #[test]
    fn only_names_of_ours_are_answered() {
        let gate = Gate::new(&Limits { hosts: vec!["feedback.example.org".into()], ..Limits::default() });
        for good in [
            "localhost",
            "LOCALHOST:9464",
            "127.0.0.1:9464",
            "127.8.8.8",
            "[::1]:9464",
            "192.0.2.1:9464",
            "feedback.example.org:443",
            "Feedback.Example.org.",
        ] {
            assert_eq!(status(&gate, "/health", &[("host", good)]), None, "{good}");
        }
        for foreign in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:9464",
            "192.0.2.2",
            "me@evil.example",
            "localhost, evil.example",
            "localhost/",
        ] {
            let found = status(&gate, "/health", &[("host", foreign)]);
            assert_eq!(found, Some(StatusCode::MISDIRECTED_REQUEST), "{foreign}");
        }
        let twice = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(status(&gate, "/health", &twice), Some(StatusCode::MISDIRECTED_REQUEST));
        assert_eq!(status(&gate, "/health", &[]), Some(StatusCode::MISDIRECTED_REQUEST));
        let target = status(&gate, "http://evil.example/health", &[("host", "localhost")]);
        assert_eq!(target, Some(StatusCode::MISDIRECTED_REQUEST));
    }

    #[test]
    fn a_client_that_asks_too_often_is_told_so_and_probes_are_not_counted() {
        let gate = Gate::new(&Limits { requests_per_second: 3, ..Limits::default() });
        let host = [("host", "localhost")];
        for _ in 0..3 {
            assert_eq!(status(&gate, "/api/v1/turns", &host), None);
        }
        assert_eq!(status(&gate, "/api/v1/turns", &host), Some(StatusCode::TOO_MANY_REQUESTS));
        assert_eq!(status(&gate, "/ready", &host), None);
    }
}
