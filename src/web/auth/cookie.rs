//! The cookie of a session.
//!
//! Its name begins with `__Host-`, so that browsers take it only over TLS and from this very name. Browsers do not keep such a
//! cookie on `http://127.0.0.1`, so a plain one is used there, and there alone.

use super::sessions::LONGEST;
use crate::server::proxy_detection::is_here;
use axum::http::header::{COOKIE, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};
use std::time::Duration;

const SAFE: &str = "__Host-feedbackd";
const PLAIN: &str = "feedbackd";
const LOGIN: &str = "feedbackd-login";

/// How the browser that sent a request keeps a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// As it does on this machine without TLS.
    Plain,
    /// As it does over TLS, and there alone.
    Safe,
}

impl Kept {
    /// As far as the request says: what a form sends names the origin.
    pub fn by(headers: &HeaderMap) -> Kept {
        let over_tls = headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"));
        if is_here(headers) && !over_tls { Kept::Plain } else { Kept::Safe }
    }

    /// The name with which it begins, and what is asked of the browser.
    fn asked(self) -> (&'static str, &'static str) {
        match self {
            Kept::Plain => ("", ""),
            Kept::Safe => ("__Host-", "; Secure"),
        }
    }
}

/// The id of the session that a request belongs to.
pub fn session(headers: &HeaderMap) -> Option<&str> {
    let found = value(headers, SAFE);
    // Over TLS a plain cookie may come from a neighbour's name.
    if found.is_none() && is_here(headers) { value(headers, PLAIN) } else { found }
}

/// What keeps a session in the browser.
pub fn begin(kept: Kept, id: &str) -> Option<HeaderValue> {
    set(kept, id, LONGEST.as_secs())
}

/// What takes it out of it.
pub fn end(kept: Kept) -> Option<HeaderValue> {
    set(kept, "", 0)
}

/// What the browser has that began to log in through a provider.
pub fn login(kept: Kept, headers: &HeaderMap) -> Option<&str> {
    value(headers, &format!("{}{LOGIN}", kept.asked().0))
}

/// What keeps that there, and with an empty id what takes it away. It must come with the first request after the provider's
/// page, which `Strict` would not allow.
pub fn begin_login(kept: Kept, id: &str, longest: Duration) -> Option<HeaderValue> {
    let ((prefix, secure), seconds) = (kept.asked(), if id.is_empty() { 0 } else { longest.as_secs() });
    format!("{prefix}{LOGIN}={id}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}").parse().ok()
}

fn set(kept: Kept, value: &str, seconds: i64) -> Option<HeaderValue> {
    let (prefix, secure) = kept.asked();
    format!("{prefix}{PLAIN}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}").parse().ok()
}

fn value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';'));
    let mut found = all.filter_map(|pair| pair.trim().split_once('=')).filter(|(at, _)| *at == name);
    let value = found.next()?.1;
    // Two of them: one was put there by somebody else.
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
        let set = |all: &[(&'static str, &'static str)]| begin(Kept::by(&headers(all)), "x").expect("ASCII");
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
