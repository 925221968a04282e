//! Requests to an OpenID Connect provider. None follows redirects, and every response is bounded.

use super::server::{cause, read};
use openidconnect::{HttpRequest, HttpResponse};
use reqwest::blocking::{Client, Request};
use reqwest::redirect::Policy;
use std::time::{Duration, Instant};

/// Response timeout.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum response size in KB.
const MAX_ANSWER: usize = 512;

/// Sends a request with a client created just for it: logins are rare.
///
/// # Errors
/// A sentence that explains why the request was not sent or failed.
pub fn ask(request: HttpRequest) -> Result<HttpResponse, String> {
    let request = Request::try_from(request).map_err(|error| cause(&error))?;
    // Fails if a provider is already installed; that one is then used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .user_agent(concat!("feedbackd/", env!("CARGO_PKG_VERSION")))
        .timeout(TIMEOUT)
        .no_proxy();
    if request.url().scheme() == "http" {
        // Without TLS the system needs no certificates.
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
