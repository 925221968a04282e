//! One HTTP request, within its deadline, and the meaning of its response.

use super::guard::{LEAST_TLS, PublicOnly, check};
use crate::ports::Delivery;
use reqwest::blocking::{Client, Response};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{StatusCode, Url};
use std::error::Error;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// How much of a response is read: none of it is needed, and a receiver may send a lot.
const MAX_ANSWER: u64 = 4 << 10;
/// The pause for an overloaded endpoint that does not specify one, in seconds.
const HOLD: u64 = 30;

/// The headers of a request, with names in lower case.
pub(super) type Headers = Vec<(&'static str, String)>;

/// The target of requests.
pub(super) struct Post {
    client: Client,
    url: Url,
    private: bool,
}

impl Post {
    /// Creates the client. Must not be called, used or dropped on a thread that runs other asynchronous work.
    ///
    /// # Errors
    /// A sentence that states what is wrong with the URL or with this machine's certificates.
    pub(super) fn new(url: &str, private: bool, timeout: Duration) -> Result<Post, String> {
        // Fails if one is already installed: then that one is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = Url::parse(url).map_err(|_| "invalid URL".to_owned())?;
        check(&url, private)?;
        // A redirect would lead elsewhere, perhaps inside; a proxy would resolve names itself.
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .user_agent(concat!("feedbackd/", env!("CARGO_PKG_VERSION")))
            .tls_version_min(LEAST_TLS)
            .timeout(timeout);
        if !private {
            builder = builder.dns_resolver(Arc::new(PublicOnly));
        }
        if url.scheme() == "http" {
            // Without TLS the system need not have certificates.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| format!("cannot create an HTTP client: {}", cause(&error)))?;
        Ok(Post { client, url, private })
    }

    /// Sends one request.
    pub(super) fn send(&self, headers: &Headers, body: String) -> Delivery {
        if let Err(why) = check(&self.url, self.private) {
            return failed(why);
        }
        let mut named = HeaderMap::new();
        named.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in headers {
            let Ok(mut value) = HeaderValue::from_str(value) else {
                return failed(format!("its {name} has characters that cannot be sent"));
            };
            value.set_sensitive(*name == "authorization");
            // The last value of a name counts.
            named.insert(HeaderName::from_static(name), value);
        }
        match self.client.post(self.url.clone()).headers(named).body(body).send() {
            Err(error) if error.is_timeout() => failed("it timed out".to_owned()),
            Err(error) => failed(format!("it cannot be reached: {}", cause(&error))),
            Ok(response) => meaning(response),
        }
    }
}

/// Interprets a response.
fn meaning(response: Response) -> Delivery {
    let status = response.status();
    let hold = retry_after(&response);
    // Read so that the connection can be reused; the content is ignored.
    let _ = response.take(MAX_ANSWER).read_to_end(&mut Vec::new());
    match status {
        _ if status.is_success() => Delivery::Taken(format!("HTTP status {}", status.as_u16())),
        StatusCode::GONE => Delivery::Gone,
        _ => {
            let busy = matches!(
                status,
                StatusCode::TOO_MANY_REQUESTS
                    | StatusCode::BAD_GATEWAY
                    | StatusCode::SERVICE_UNAVAILABLE
                    | StatusCode::GATEWAY_TIMEOUT
            );
            let hint = if status.is_redirection() { "; redirects are not followed: use the final URL" } else { "" };
            let why = format!("it answers with HTTP status {}{hint}", status.as_u16());
            Delivery::Failed { why, hold_seconds: hold.or(busy.then_some(HOLD)) }
        }
    }
}

/// Returns the wait requested by the receiver, in seconds; dates are not supported.
fn retry_after(response: &Response) -> Option<u64> {
    response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}

pub(super) fn failed(why: String) -> Delivery {
    Delivery::Failed { why, hold_seconds: None }
}

/// Returns the innermost cause: the outer ones name the URL, which may be a secret.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: Option<&dyn Error> = error.source();
    while let Some(inner) = cause.and_then(|cause| cause.source()) {
        cause = Some(inner);
    }
    cause.map_or_else(|| "no reason is given".to_owned(), ToString::to_string)
}
