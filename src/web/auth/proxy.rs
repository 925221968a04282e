//! A front proxy that identifies callers in a header.
//!
//! Only requests from its address count and, if it has a key, only signed ones. From all others the header is removed,
//! so that nothing further in can trust it.

use super::oauth2_proxy_signature::GapKey;
use crate::problem::Problem;
use crate::server::limits::Limits;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use std::net::IpAddr;

/// The proxy: its addresses and its header.
#[derive(Clone, Debug)]
pub struct Proxy {
    header: HeaderName,
    addresses: Vec<IpAddr>,
    key: Option<GapKey>,
}

impl Proxy {
    /// Creates a proxy with these addresses and this header; `None` if the header name is invalid.
    pub fn new(header: &str, addresses: Vec<IpAddr>) -> Option<Proxy> {
        let addresses = addresses.iter().map(IpAddr::to_canonical).collect();
        header.parse().ok().map(|header| Proxy { header, addresses, key: None })
    }

    /// Requires signatures: its header counts only with one.
    pub fn signed(self, key: GapKey) -> Proxy {
        Proxy { key: Some(key), ..self }
    }

    /// Returns the request if it names no person or is properly signed, whatever its source address.
    ///
    /// # Errors
    /// As [`GapKey::verify`].
    pub async fn verified(&self, request: Request, limits: &Limits) -> Result<Request, Problem> {
        match &self.key {
            Some(key) if request.headers().keys().any(|name| alike(name, &self.header)) => {
                key.verify(request, limits).await
            }
            _ => Ok(request),
        }
    }

    /// Returns the named person; removes the header and everything a program might mistake for it.
    ///
    /// # Errors
    /// 400 if it names a person twice, or in characters that no id has.
    pub fn take(&self, headers: &mut HeaderMap, client: Option<IpAddr>) -> Result<Option<String>, Problem> {
        let named: Vec<_> = headers.get_all(&self.header).iter().cloned().collect();
        let alike: Vec<HeaderName> = headers.keys().filter(|name| alike(name, &self.header)).cloned().collect();
        alike.iter().for_each(|name| drop(headers.remove(name)));
        if !client.is_some_and(|client| self.addresses.contains(&client.to_canonical())) {
            return Ok(None);
        }
        let wrong = |what: &str| {
            let detail = format!(
                "the proxy's header `{}` {what}; let the proxy set it, and remove what clients send",
                self.header
            );
            Problem::new(StatusCode::BAD_REQUEST, detail)
        };
        let [value] = named.as_slice() else {
            return if named.is_empty() { Ok(None) } else { Err(wrong("is sent more than once")) };
        };
        let text = value.to_str().map_err(|_| wrong("is not plain text"))?.trim();
        if text.contains(',') {
            return Err(wrong("names more than one person"));
        }
        Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
    }
}

/// Reports whether a name is the header's, or would be if `_` counts as `-`.
fn alike(name: &HeaderName, header: &HeaderName) -> bool {
    name.as_str().replace('_', "-") == header.as_str().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn take(client: &str, all: &[(&'static str, &'static str)]) -> (Result<Option<String>, StatusCode>, usize) {
        let proxy = Proxy::new("X-Forwarded-User", vec![[127, 0, 0, 1].into()]).expect("a header");
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.append(*name, HeaderValue::from_static(value));
        }
        let named = proxy.take(&mut headers, client.parse().ok()).map_err(|problem| problem.status());
        (named, headers.len())
    }

    #[test]
    fn only_the_proxy_names_people() {
        let ana = [("x-forwarded-user", "ana")];
        assert_eq!(take("127.0.0.1", &ana), (Ok(Some("ana".to_owned())), 0));
        assert_eq!(take("::ffff:127.0.0.1", &ana), (Ok(Some("ana".to_owned())), 0));
        assert_eq!(take("192.0.2.9", &ana), (Ok(None), 0), "it is taken off");
        assert_eq!(take("no address", &ana), (Ok(None), 0));
        assert_eq!(take("127.0.0.1", &[("x-forwarded-user", " ")]), (Ok(None), 0));
    }

    #[test]
    fn what_only_looks_like_the_header_names_nobody() {
        assert_eq!(take("127.0.0.1", &[("x_forwarded_user", "ana")]), (Ok(None), 0));
        assert_eq!(take("192.0.2.9", &[("x_forwarded-user", "ana"), ("accept", "*/*")]), (Ok(None), 1));
        let both = [("x-forwarded-user", "ana"), ("x_forwarded_user", "ben")];
        assert_eq!(take("127.0.0.1", &both), (Ok(Some("ana".to_owned())), 0));
    }

    #[test]
    fn two_names_are_none() {
        let twice = [("x-forwarded-user", "ana"), ("x-forwarded-user", "ben")];
        assert_eq!(take("127.0.0.1", &twice), (Err(StatusCode::BAD_REQUEST), 0));
        assert_eq!(take("127.0.0.1", &[("x-forwarded-user", "ana, ben")]), (Err(StatusCode::BAD_REQUEST), 0));
        assert_eq!(take("192.0.2.9", &twice), (Ok(None), 0));
    }
}
