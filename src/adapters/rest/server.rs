//! A server that takes and gives JSON, over HTTP: within a deadline, with one retry, a bounded body, and errors without
//! secrets.
//!
//! It knows nothing of what it carries. The key leaves this module in one header only.

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

/// How long to wait before the first retry if the server does not say; doubled with each.
const WAIT: Duration = Duration::from_secs(1);
/// How often one request is sent at most.
const TRIES: u32 = 4;
/// How much of an error is read, in KB.
const MAX_ERROR: usize = 64;

/// Where a server is and how it is asked.
#[derive(Clone, Debug)]
pub struct RestOptions {
    /// The base URL.
    pub url: String,
    /// The header with the key, what stands before the key in it, and the key; where the server wants one.
    pub key: Option<(&'static str, &'static str, Secret)>,
    /// What else every request has in its headers: names in lower case, and values.
    pub headers: &'static [(&'static str, &'static str)],
    /// How long an answer may take, a retry included.
    pub timeout: Duration,
    /// How large an answer may be, in KB of 1024 bytes.
    pub max_answer: usize,
    /// Whether the proxies that the environment names are used.
    pub use_environment_proxy: bool,
    /// Fields that are looked for in errors of the server: with these its errors are [`RestError::Said`].
    pub fields: &'static [&'static str],
}

/// A server. Requests are sent one at a time, by a thread that ends when this is dropped.
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
    /// When the options cannot be used, or the system gives no thread.
    pub fn start(options: RestOptions) -> Result<RestServer, RestError> {
        let (requests, inbox) = channel();
        let (ready, made) = channel();
        // The client is made, used and dropped there: it must not be on a thread that runs other asynchronous work.
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

/// One question to a server that wants no key: its status and its document, whatever the status; null where it is no JSON.
///
/// # Errors
/// When it cannot be reached, or does not answer in time.
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
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| failed("there is no such method"))?;
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

/// Why one request brought nothing.
enum Trouble {
    /// It may be tried again, after this long.
    Again(RestError, Option<Duration>),
    /// It may not.
    Final(RestError),
}

impl Connection {
    fn new(options: RestOptions) -> Result<Connection, RestError> {
        // Fails where there is one already: then that one serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let url = Url::parse(&options.url).map_err(|_| failed("the base URL is no URL"))?;
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
        let client = builder.build().map_err(|e| failed(&format!("no HTTP client can be made: {}", cause(&e))))?;
        Ok(Connection { options, client })
    }

    fn serve(&self, inbox: &Receiver<Request>) {
        while let Ok(request) = inbox.recv() {
            // An answer that nobody waits for any more is no failure.
            let _ = request.answer.send(self.ask(&request));
        }
    }

    /// Asks, and asks again if that may help: a few times, with growing pauses, as long as there is time.
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

    /// What is kept of an error.
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

/// A document; or, from a server that sends a stream of events though it was asked for none, its events under `stream`.
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
        true => "it sends a web page, not JSON; look at the address",
        false => "it sends what cannot be read",
    }))
}

/// The whole body, within its limits in size and time: a server that sends a byte a second is too slow as well.
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
            .map_err(|_| failed("the key has characters that no key has"))?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// What the server asks to wait: milliseconds, seconds, or until a date.
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

/// The innermost cause: the outer ones name the URL only.
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
