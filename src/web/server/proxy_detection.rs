//! Distinguishing direct requests by programs on this machine from forwarded ones.
//!
//! A proxy on this machine also has a loopback address, and some forward requests without a trace. So this never proves
//! that there is none: it complements the configuration, which states whether there is one.

use super::request_filter::Ends;
use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Version};
use std::net::IpAddr;

/// Headers that browsers and programs send on their own, besides those that begin with `sec-`. Proxies add others with
/// configurable names, so any header not listed here counts as theirs.
const DIRECT: [&str; 36] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "authorization",
    "cache-control",
    "connection",
    "content-encoding",
    "content-language",
    "content-length",
    "content-type",
    "cookie",
    "date",
    "dnt",
    "expect",
    "host",
    "http2-settings",
    "idempotency-key",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "origin",
    "pragma",
    "priority",
    "range",
    "referer",
    "te",
    "traceparent",
    "tracestate",
    "transfer-encoding",
    "upgrade-insecure-requests",
    "user-agent",
    "x-tenant-id",
];

/// Returns the evidence that a request was not sent directly by a program on this machine; `None` if there is none.
pub fn sign(request: &Request) -> Option<String> {
    let headers = request.headers();
    match request.extensions().get::<Ends>().map(|ends| ends.client) {
        None => return Some("its source address is unknown".to_owned()),
        Some(client) if !client.is_loopback() => return Some(format!("it comes from {client}")),
        Some(_) => {}
    }
    if !is_here(headers) {
        return Some("its host name is not one of this machine's own".to_owned());
    }
    // Clients have not used it for decades, but some proxies still do.
    if request.version() < Version::HTTP_11 {
        return Some("it uses HTTP/1.0, as proxies do".to_owned());
    }
    let odd = headers.keys().map(|name| name.as_str());
    let odd = odd.into_iter().find(|name| !name.starts_with("sec-") && !DIRECT.contains(name));
    odd.map(|name| format!("it has the header `{name}`"))
}

/// Reports whether it was sent to one of this machine's own names, as nothing from elsewhere is.
pub fn is_here(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
    host.is_some_and(|host| {
        let name = host.host().trim_start_matches('[').trim_end_matches(']');
        name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn found(client: [u8; 4], version: Version, all: &[(&str, &str)]) -> Option<String> {
        let mut request = Request::builder().version(version);
        for (name, value) in all {
            request = request.header(*name, *value);
        }
        let ends = Ends { client: client.into(), ours: ([127, 0, 0, 1], 9464).into() };
        sign(&request.extension(ends).body(Body::empty()).expect("a request"))
    }

    #[test]
    fn whatever_a_proxy_adds_tells() {
        let here = [127, 0, 0, 1];
        let host = ("host", "127.0.0.1:9464");
        for direct in [
            vec![host],
            vec![("host", "localhost:9464"), ("user-agent", "curl/8"), ("accept", "*/*")],
            vec![("host", "[::1]:9464"), ("sec-fetch-site", "none"), ("upgrade-insecure-requests", "1")],
        ] {
            assert_eq!(found(here, Version::HTTP_11, &direct), None, "{direct:?}");
        }
        for added in ["forwarded", "x-forwarded-for", "via", "x-real-ip", "cf-connecting-ip", "x-of-tomorrow"] {
            let said = found(here, Version::HTTP_11, &[host, (added, "198.51.100.7")]);
            assert_eq!(said, Some(format!("it has the header `{added}`")));
        }
        assert!(found(here, Version::HTTP_10, &[host]).is_some_and(|said| said.contains("HTTP/1.0")));
        assert!(found(here, Version::HTTP_11, &[("host", "feedback.example.org")]).is_some());
        assert!(found(here, Version::HTTP_11, &[]).is_some());
        assert!(found([192, 0, 2, 9], Version::HTTP_11, &[host]).is_some_and(|said| said.contains("192.0.2.9")));
    }
}
