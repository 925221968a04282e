//! A proxy in front that knows who asks, and says so in a header.
//!
//! Only what comes from its address counts, and where it has a key, only what it signed. From everybody else the header is taken off, so that nothing behind this can
//! believe it.

use super::oauth2_proxy_signature::GapKey;
use crate::problem::Problem;
use crate::server::limits::Limits;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use std::net::IpAddr;

/// The proxy, by its addresses and its header.
#[derive(Clone, Debug)]
pub struct Proxy {
    header: HeaderName,
    addresses: Vec<IpAddr>,
    key: Option<GapKey>,
}

impl Proxy {
    /// One that asks from these addresses and names people in this header; none where that is no header.
    pub fn new(header: &str, addresses: Vec<IpAddr>) -> Option<Proxy> {
        let addresses = addresses.iter().map(IpAddr::to_canonical).collect();
        header.parse().ok().map(|header| Proxy { header, addresses, key: None })
    }

    /// The same, which signs what it passes on: its header counts only with a signature.
    pub fn signed(self, key: GapKey) -> Proxy {
        Proxy { key: Some(key), ..self }
    }

    /// The request, where it names nobody or is signed as it must be, from whatever address it comes.
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

    /// Whom it names; the header is taken off, and so is whatever a program might take for it.
    ///
    /// # Errors
    /// 400 where it names somebody twice, or in characters that no id has.
    pub fn take(&self, headers: &mut HeaderMap, client: Option<IpAddr>) -> Result<Option<String>, Problem> {
        let named: Vec<_> = headers.get_all(&self.header).iter().cloned().collect();
        let alike: Vec<HeaderName> = headers.keys().filter(|name| alike(name, &self.header)).cloned().collect();
        alike.iter().for_each(|name| drop(headers.remove(name)));
        if !client.is_some_and(|client| self.addresses.contains(&client.to_canonical())) {
            return Ok(None);
        }
        let wrong = |what: &str| {
            let detail = format!(
                "the proxy's header `{}` {what}; let the proxy set it, and drop what clients send",
                self.header
            );
            Problem::new(StatusCode::BAD_REQUEST, detail)
        };
        let [value] = named.as_slice() else {
            return if named.is_empty() { Ok(None) } else { Err(wrong("stands there more than once")) };
        };
        let text = value.to_str().map_err(|_| wrong("is no plain text"))?.trim();
        if text.contains(',') {
            return Err(wrong("names more than one person"));
        }
        Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
    }
}

/// Whether a name is the header's, or would be where `_` counts as `-`.
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
