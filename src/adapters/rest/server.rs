//! A JSON server over HTTP: with a deadline, one retry, a bounded body, and errors without secrets.
//!
//! It knows nothing about the content. The key leaves this module in one header only.

use crate::config::Secret;
use crate::ports::{Rest, RestError};
use reqwest::blocking::{Client, Response};
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Method, StatusCode, Url};
use serde_json::Value;
use std::error::Error;
use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Pause before the first retry if the server specifies none; doubled each time.
const WAIT: Duration = Duration::from_secs(1);
/// Maximum number of attempts per request.
const TRIES: u32 = 4;
/// How much of an error is read, in KB.
const MAX_ERROR: usize = 64;

/// Address of a server and how to query it.
#[derive(Clone, Debug)]
pub struct RestOptions {
    /// The base URL.
    pub url: String,
    /// The key header: its name, the prefix of its value, and the key, if the server requires one.
    pub key: Option<(&'static str, &'static str, Secret)>,
    /// Additional headers of every request: lowercase names, and values.
    pub headers: &'static [(&'static str, &'static str)],
    /// Response timeout, including a retry.
    pub timeout: Duration,
    /// Maximum response size in KB of 1024 bytes.
    pub max_answer: usize,
    /// Whether to use the proxies from the environment.
    pub use_environment_proxy: bool,
    /// Fields to extract from the server's errors, which then become [`RestError::Said`].
    pub fields: &'static [&'static str],
}

/// A server. Requests are sent one at a time by a thread that ends when this is dropped.
pub struct RestServer {
    requests: Sender<Request>,
}

struct Request {
    method: Method,
    path: String,
    body: Option<Vec<u8>>,
    answer: Sender<Result<Value, RestError>>,
}

impl RestServer {
    /// Starts the thread. Nothing is contacted before the first request.
    ///
    /// # Errors
    /// If the options are invalid, or the thread cannot be started.
    pub fn start(options: RestOptions) -> Result<RestServer, RestError> {
        let (requests, inbox) = channel();
        let (ready, made) = channel();
        // The client is created, used and dropped in the thread: it must not run on a thread that does other async
        // work.
        let work = move || match Connection::new(options) {
            Ok(connection) => {
                let _ = ready.send(Ok(()));
                connection.serve(&inbox);
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        };
        std::thread::Builder::new().name("rest".to_owned()).spawn(work).map_err(|e| failed(&e.to_string()))?;
        made.recv().unwrap_or_else(|_| Err(gone()))?;
        Ok(RestServer { requests })
    }
}

/// Sends one request to a server that needs no key. Returns status and document, whatever the status; null if not JSON.
///
/// # Errors
/// If the server cannot be reached or does not answer in time.
pub fn get(url: &str, timeout: Duration) -> Result<(u16, Value), RestError> {
    let options = RestOptions {
        url: url.to_owned(),
        key: None,
        headers: &[],
        timeout,
        max_answer: 1 << 10,
        use_environment_proxy: false,
        fields: &[],
    };
    let connection = Connection::new(options)?;
    let answer = connection.client.get(url).send().map_err(|error| match error.is_timeout() {
        true => RestError::TimedOut,
        false => failed(&cause(&error)),
    })?;
    let status = answer.status().as_u16();
    let body = read(answer, Instant::now() + timeout, connection.options.max_answer)?;
    Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

impl Rest for RestServer {
    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, RestError> {
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| failed("invalid HTTP method"))?;
        let body = body.map(|body| body.to_string().into_bytes());
        let (answer, answered) = channel();
        self.requests.send(Request { method, path: path.to_owned(), body, answer }).map_err(|_| gone())?;
        answered.recv().unwrap_or_else(|_| Err(gone()))
    }
}

struct Connection {
    options: RestOptions,
    client: Client,
}

/// Why a request failed.
enum Trouble {
    /// May be retried after this time.
    Again(RestError, Option<Duration>),
    /// Must not be retried.
    Final(RestError),
}

impl Connection {
    fn new(options: RestOptions) -> Result<Connection, RestError> {
        // Fails if a provider is already installed; that one is then used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = Url::parse(&options.url).map_err(|_| failed("invalid base URL"))?;
        // A redirect would send the key and the comments to another server.
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .user_agent(concat!("feedbackd/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers(&options)?)
            .timeout(options.timeout);
        if !options.use_environment_proxy {
            builder = builder.no_proxy();
        }
        if url.scheme() == "http" {
            // Without TLS the system needs no certificates.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|e| failed(&format!("cannot create an HTTP client: {}", cause(&e))))?;
        Ok(Connection { options, client })
    }

    fn serve(&self, inbox: &Receiver<Request>) {
        while let Ok(request) = inbox.recv() {
            // It is not an error if the receiver is gone.
            let _ = request.answer.send(self.ask(&request));
        }
    }

    /// Sends a request and retries if that may help: a few times, with growing pauses, while time remains.
    fn ask(&self, request: &Request) -> Result<Value, RestError> {
        let deadline = Instant::now() + self.options.timeout;
        let mut pause = WAIT;
        for _ in 1..TRIES {
            let (error, after) = match self.request(request, deadline) {
                Ok(answer) => return Ok(answer),
                Err(Trouble::Final(error)) => return Err(error),
                Err(Trouble::Again(error, after)) => (error, after),
            };
            let wait = after.unwrap_or(pause);
            if deadline.saturating_duration_since(Instant::now()) <= wait {
                return Err(match after {
                    Some(wait) => failed(&format!("{error}, and asks to wait for {} s", wait.as_secs())),
                    None => error,
                });
            }
            std::thread::sleep(wait);
            pause *= 2;
        }
        self.request(request, deadline).map_err(|trouble| match trouble {
            Trouble::Again(error, _) | Trouble::Final(error) => error,
        })
    }

    fn request(&self, request: &Request, deadline: Instant) -> Result<Value, Trouble> {
        let left = deadline.saturating_duration_since(Instant::now());
        let url = format!("{}{}", self.options.url.trim_end_matches('/'), request.path);
        let mut sent = self.client.request(request.method.clone(), url).timeout(left);
        if let Some(body) = &request.body {
            sent = sent.body(body.clone());
        }
        let response = sent.send().map_err(|error| match error.is_timeout() {
            true => Trouble::Final(RestError::TimedOut),
            false => Trouble::Final(failed(&format!("it cannot be reached: {}", cause(&error)))),
        })?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            return Err(Trouble::Again(RestError::Status(status.as_u16()), retry_after(&response)));
        }
        if !status.is_success() {
            return Err(Trouble::Final(self.refused(status, response, deadline)));
        }
        let answer = read(response, deadline, self.options.max_answer).map_err(Trouble::Final)?;
        if answer.is_empty() {
            return Ok(Value::Null);
        }
        read_answer(&answer).map_err(Trouble::Final)
    }

    /// The part of an error that is kept.
    fn refused(&self, status: StatusCode, response: Response, deadline: Instant) -> RestError {
        let status = status.as_u16();
        if self.options.fields.is_empty() {
            return RestError::Status(status);
        }
        let body = read(response, deadline, MAX_ERROR).unwrap_or_default();
        let text = String::from_utf8_lossy(&body);
        let said: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let is_code = |code: &String| {
            (1..=40).contains(&code.len())
                && code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
        };
        let told = |value: &Value| value.as_str().map(str::to_owned).or_else(|| Some(value.as_u64()?.to_string()));
        let mut codes =
            ["/error/code", "/error/type", "/code", "/type"].iter().filter_map(|at| told(said.pointer(at)?));
        let code = codes.find(is_code).unwrap_or_default();
        let names = self.options.fields.iter().copied().filter(|field| text.contains(field)).collect();
        RestError::Said { status, code, names }
    }
}

/// Parses a document. If the server sends an unrequested event stream, its events are under `stream`.
fn read_answer(answer: &[u8]) -> Result<Value, RestError> {
    if let Ok(value) = serde_json::from_slice(answer) {
        return Ok(value);
    }
    let text = String::from_utf8_lossy(answer);
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let events: Vec<Value> = events.filter_map(|event| serde_json::from_str(event.trim()).ok()).collect();
    if !events.is_empty() {
        return Ok(serde_json::json!({ "stream": events }));
    }
    Err(failed(match text.trim_start().starts_with('<') {
        true => "it returned a web page, not JSON; check the address",
        false => "its response cannot be read",
    }))
}

/// Reads the whole body within the size and time limits, so a server that sends a byte a second also times out.
pub(super) fn read(mut response: Response, deadline: Instant, max: usize) -> Result<Vec<u8>, RestError> {
    let mut body = Vec::new();
    let mut piece = [0; 8 << 10];
    loop {
        let size = response.read(&mut piece).map_err(|_| match Instant::now() >= deadline {
            true => RestError::TimedOut,
            false => failed("the answer broke off"),
        })?;
        if size == 0 {
            return Ok(body);
        }
        body.extend_from_slice(&piece[..size]);
        if body.len() > max << 10 {
            return Err(failed(&format!("the answer is larger than {max} KB")));
        }
        if Instant::now() >= deadline {
            return Err(RestError::TimedOut);
        }
    }
}

fn headers(options: &RestOptions) -> Result<HeaderMap, RestError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in options.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some((name, before, key)) = &options.key {
        let mut value = HeaderValue::from_str(&format!("{before}{}", key.expose()))
            .map_err(|_| failed("the key has invalid characters"))?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// Parses the requested wait: milliseconds, seconds, or a date.
fn retry_after(response: &Response) -> Option<Duration> {
    let header = |name: &str| response.headers().get(name)?.to_str().ok().map(str::trim);
    if let Some(wait) = header("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(wait));
    }
    let text = header(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    // By the server's own clock.
    let date = |text: &str| jiff::fmt::rfc2822::parse(text).ok().map(|date| date.timestamp());
    let (until, now) = (date(text)?, date(header(DATE.as_str())?)?);
    Some(Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO))
}

pub(super) fn failed(why: &str) -> RestError {
    RestError::Failed(why.to_owned())
}

fn gone() -> RestError {
    failed("the thread that asks it is gone")
}

/// Returns the innermost cause: the outer ones only name the URL.
pub(super) fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if std::ptr::eq(cause as *const dyn Error as *const (), std::ptr::from_ref(error).cast()) {
        return "no reason is given".to_owned();
    }
    cause.to_string()
}
