//! Requests to a provider of OpenID Connect: over TLS, without following redirects, and
//! with bounded answers.

use super::server::{cause, read};
use openidconnect::{HttpRequest, HttpResponse};
use reqwest::Url;
use reqwest::blocking::{Client, Request};
use reqwest::redirect::Policy;
use std::time::{Duration, Instant};

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How large it may be, in KB.
const MAX_ANSWER: usize = 512;

/// Sends a request. The client is made for it alone: people log in seldom.
///
/// # Errors
/// A sentence that says why it was not sent, or brought nothing.
pub fn ask(request: HttpRequest) -> Result<HttpResponse, String> {
    let request = Request::try_from(request).map_err(|error| cause(&error))?;
    let url = request.url();
    let (host, plain) = (url.host_str().unwrap_or_default().to_owned(), url.scheme() == "http");
    if url.scheme() != "https" && !(plain && is_here(url)) {
        return Err(format!("{host} is to be asked without TLS"));
    }
    // Fails where there is one already: then that one serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .user_agent(concat!("feedbackd/", env!("CARGO_PKG_VERSION")))
        .timeout(TIMEOUT)
        .no_proxy();
    if plain {
        // Without TLS the system need not have any certificates.
        builder = builder.tls_certs_only([]);
    }
    let client = builder.build().map_err(|error| cause(&error))?;
    let deadline = Instant::now() + TIMEOUT;
    let answer = client.execute(request).map_err(|error| cause(&error))?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let body = read(answer, deadline, MAX_ANSWER).map_err(|error| error.to_string())?;
    let mut response = HttpResponse::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(openidconnect::url::Host::Domain(name)) => name == "localhost",
        Some(openidconnect::url::Host::Ipv4(address)) => address.is_loopback(),
        Some(openidconnect::url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
