//! One question and its answer over HTTP, within a deadline: one retry, a bounded body, errors without secrets.

use super::{ModelOptions, Stop};
use crate::domain::advice::{AdviceFailure, AdviceQuestion, prompt};
use reqwest::blocking::{Client, Response};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{StatusCode, Url};
use serde_json::Value;
use std::error::Error;
use std::io::Read;
use std::time::{Duration, Instant};

/// An answer may be at most so large, in bytes.
const MAX_BODY: u64 = 64 << 10;
/// How long is waited before the retry where the server does not say.
const WAIT: Duration = Duration::from_secs(1);

/// A server that is asked.
pub(super) struct Server {
    options: ModelOptions,
    url: Url,
    client: Client,
    /// It refused what not every server knows: it is asked without that.
    plain: bool,
}

/// Why one request brought no text.
enum Trouble {
    /// It took too long.
    Timeout,
    /// It may be tried again, after so long.
    Again(StatusCode, Option<Duration>),
    /// The server does not take the request as it is.
    Unfit(StatusCode),
    /// Anything else.
    Failed(String),
}

impl Server {
    /// Connects to nothing yet.
    pub(super) fn new(options: ModelOptions) -> Result<Server, String> {
        // Fails where there is one already: then that one serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = options.dialect.endpoint(&options.url);
        let url = Url::parse(&url).map_err(|_| "model.url is no URL".to_owned())?;
        // A redirect would carry the key, and the remarks, to somebody else.
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .user_agent(concat!("feedbackd/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers(&options)?)
            .timeout(options.timeout);
        if !options.use_environment_proxy {
            builder = builder.no_proxy();
        }
        if url.scheme() == "http" {
            // Without TLS the system need not have any certificates.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|e| format!("no HTTP client can be made: {}", cause(&e)))?;
        Ok(Server { options, url, client, plain: false })
    }

    /// Asks, and asks once more where that may help.
    pub(super) fn ask(&mut self, question: &AdviceQuestion, stop: &Stop) -> Result<String, AdviceFailure> {
        let deadline = Instant::now() + self.options.timeout;
        let mut retried = false;
        loop {
            match self.request(question, deadline) {
                Ok(text) => return Ok(text),
                Err(Trouble::Timeout) => return Err(AdviceFailure::Timeout),
                Err(Trouble::Failed(why)) => return Err(AdviceFailure::Failed(why)),
                Err(Trouble::Unfit(_)) if !self.plain => self.plain = true,
                Err(Trouble::Unfit(status)) => return Err(refused(status)),
                Err(Trouble::Again(status, after)) => {
                    let wait = after.unwrap_or(WAIT);
                    let in_time = deadline.saturating_duration_since(Instant::now()) > wait;
                    if retried || !in_time || stop.wait(wait) {
                        return Err(refused(status));
                    }
                    retried = true;
                }
            }
        }
    }

    fn request(&self, question: &AdviceQuestion, deadline: Instant) -> Result<String, Trouble> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Trouble::Timeout);
        }
        let body = self.options.dialect.body(&self.options.model, &prompt(question), self.plain);
        let sent = self.client.post(self.url.clone()).timeout(left).body(body.to_string()).send();
        let response = sent.map_err(|error| match error.is_timeout() {
            true => Trouble::Timeout,
            false => Trouble::Failed(format!("the model cannot be reached: {}", cause(&error))),
        })?;
        match response.status() {
            status if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
                Err(Trouble::Again(status, retry_after(&response)))
            }
            status @ (StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY) => Err(Trouble::Unfit(status)),
            status if !status.is_success() => Err(Trouble::Failed(words(status))),
            _ => {
                let answer = read(response, deadline)?;
                let unreadable = || Trouble::Failed("the model's server sends what cannot be read".to_owned());
                let answer: Value = serde_json::from_slice(&answer).map_err(|_| unreadable())?;
                self.options.dialect.text(&answer).ok_or_else(unreadable)
            }
        }
    }
}

/// The whole body, within its limits in size and time: a server that sends a byte a second is too slow as well.
fn read(mut response: Response, deadline: Instant) -> Result<Vec<u8>, Trouble> {
    let mut body = Vec::new();
    let mut piece = [0; 8 << 10];
    loop {
        let size = response.read(&mut piece).map_err(|_| match Instant::now() >= deadline {
            true => Trouble::Timeout,
            false => Trouble::Failed("the answer broke off".to_owned()),
        })?;
        if size == 0 {
            return Ok(body);
        }
        body.extend_from_slice(&piece[..size]);
        if body.len() as u64 > MAX_BODY {
            return Err(Trouble::Failed("the answer is larger than 64 KB".to_owned()));
        }
        if Instant::now() >= deadline {
            return Err(Trouble::Timeout);
        }
    }
}

fn headers(options: &ModelOptions) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if options.dialect == super::Dialect::Anthropic {
        headers.insert(HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));
    }
    if let Some(key) = &options.key {
        let (name, before) = options.dialect.key_header();
        let mut value = HeaderValue::from_str(&format!("{before}{}", key.expose()))
            .map_err(|_| "the key in model.api_key_file has characters that no key has".to_owned())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// What the server asks to wait; dates are not understood.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn refused(status: StatusCode) -> AdviceFailure {
    AdviceFailure::Failed(words(status))
}

/// The status alone: bodies of errors may repeat what was sent.
fn words(status: StatusCode) -> String {
    let hint = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => "; look at model.api_key_file",
        StatusCode::NOT_FOUND => "; look at model.url and model.model",
        _ => "",
    };
    format!("the model's server answers {status}{hint}")
}

/// The innermost cause: the outer ones name the URL only.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if std::ptr::eq(cause as *const dyn Error as *const (), std::ptr::from_ref(error).cast()) {
        return "no reason is given".to_owned();
    }
    cause.to_string()
}
