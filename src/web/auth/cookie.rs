//! The session cookie.
//!
//! Its name begins with `__Host-`, so that browsers accept it only over TLS and from this exact host. Browsers do not
//! store such a cookie on `http://127.0.0.1`, so a plain one is used there, and only there.

use super::sessions::LONGEST;
use crate::server::proxy_detection::is_here;
use axum::http::header::{COOKIE, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};
use std::time::Duration;

const SAFE: &str = "__Host-feedbackd";
const PLAIN: &str = "feedbackd";
const LOGIN: &str = "feedbackd-login";

/// How the requesting browser stores a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieStorage {
    /// Without TLS, on this machine.
    Plain,
    /// Only over TLS.
    Safe,
}

impl CookieStorage {
    /// Derives it from the request: form submissions name the origin.
    pub fn by(headers: &HeaderMap) -> CookieStorage {
        let over_tls = headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"));
        if is_here(headers) && !over_tls { CookieStorage::Plain } else { CookieStorage::Safe }
    }

    /// Returns the name prefix and the attributes.
    fn asked(self) -> (&'static str, &'static str) {
        match self {
            CookieStorage::Plain => ("", ""),
            CookieStorage::Safe => ("__Host-", "; Secure"),
        }
    }
}

/// Returns the session id of a request.
pub fn session(headers: &HeaderMap) -> Option<&str> {
    let found = value(headers, SAFE);
    // Over TLS a plain cookie may come from a neighbouring host.
    if found.is_none() && is_here(headers) { value(headers, PLAIN) } else { found }
}

/// Builds the cookie that sets a session.
pub fn begin(kept: CookieStorage, id: &str) -> Option<HeaderValue> {
    set(kept, id, LONGEST.as_secs())
}

/// Builds the cookie that removes it.
pub fn end(kept: CookieStorage) -> Option<HeaderValue> {
    set(kept, "", 0)
}

/// Returns the cookie of a pending provider login.
pub fn login(kept: CookieStorage, headers: &HeaderMap) -> Option<&str> {
    value(headers, &format!("{}{LOGIN}", kept.asked().0))
}

/// Builds the cookie that sets it, or removes it if the id is empty. It must accompany the first request after the
/// provider's page, which `Strict` would prevent.
pub fn begin_login(kept: CookieStorage, id: &str, longest: Duration) -> Option<HeaderValue> {
    let ((prefix, secure), seconds) = (kept.asked(), if id.is_empty() { 0 } else { longest.as_secs() });
    format!("{prefix}{LOGIN}={id}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}").parse().ok()
}

fn set(kept: CookieStorage, value: &str, seconds: i64) -> Option<HeaderValue> {
    let (prefix, secure) = kept.asked();
    format!("{prefix}{PLAIN}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}").parse().ok()
}

fn value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';'));
    let mut found = all.filter_map(|pair| pair.trim().split_once('=')).filter(|(at, _)| *at == name);
    let value = found.next()?.1;
    // If there are two, one was set by another party.
    (found.next().is_none() && !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn beyond_this_machine_the_cookie_needs_tls() {
        let set = |all: &[(&'static str, &'static str)]| begin(CookieStorage::by(&headers(all)), "x").expect("ASCII");
        let plain = "feedbackd=x; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict";
        let safe = "__Host-feedbackd=x; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(set(&[("host", "127.0.0.1:9464")]), plain);
        assert_eq!(set(&[("host", "localhost:9464"), ("origin", "http://localhost:9464")]), plain);
        assert_eq!(set(&[("host", "localhost:9464"), ("origin", "https://feedback.example.org")]), safe);
        assert_eq!(set(&[("host", "feedback.example.org")]), safe);
        assert_eq!(set(&[]), safe);
    }

    #[test]
    fn a_plain_cookie_counts_on_this_machine_alone_and_none_counts_twice() {
        let read = |all: &[(&'static str, &'static str)]| session(&headers(all)).map(str::to_owned);
        assert_eq!(read(&[("host", "[::1]:9464"), ("cookie", "a=b; feedbackd=x")]).as_deref(), Some("x"));
        assert_eq!(read(&[("host", "feedback.example.org"), ("cookie", "feedbackd=x")]), None);
        let both = [("host", "feedback.example.org"), ("cookie", "feedbackd=x; __Host-feedbackd=y")];
        assert_eq!(read(&both).as_deref(), Some("y"));
        assert_eq!(read(&[("host", "localhost"), ("cookie", "feedbackd=x"), ("cookie", "feedbackd=y")]), None);
    }
}
