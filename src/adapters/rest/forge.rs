//! A forge's API over HTTP: pages and changes, with what the server says of limits, within a deadline and a size.
//!
//! The token leaves this module in one header only, and only to the server that is configured: the address of a next page,
//! or of where a repository moved, must be one of the same server.

use super::server::{cause, failed, read};
use crate::config::Secret;
use crate::ports::{ForgeAnswer, ForgeApi, RestError};
use jiff::Timestamp;
use reqwest::blocking::{Client, Response};
use reqwest::header::{ACCEPT, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH, LINK, RETRY_AFTER};
use reqwest::{Method, Url, redirect};
use serde_json::Value;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The largest page, in KB.
const LARGEST: usize = 32 << 10;
/// The largest refusal that is read, in KB.
const LARGEST_REFUSAL: usize = 64;
/// How often a place may have moved.
const MOST_MOVES: usize = 3;

/// Where an API is and how it is asked.
#[derive(Clone, Debug)]
pub struct ForgeServerOptions {
    /// Its base.
    pub url: String,
    /// The header with the token, what stands before the token in it, and the token; where there is one.
    pub token: Option<(&'static str, &'static str, Secret)>,
    /// The kind of answer that is asked for.
    pub accept: &'static str,
    /// How long an answer may take.
    pub timeout: Duration,
}

/// A forge's API. It must be read outside of asynchronous work.
pub struct ForgeServer {
    base: Url,
    headers: HeaderMap,
    /// Made where they are used first: not where a daemon is put together, which is asynchronous work.
    reader: OnceLock<Client>,
    /// It follows nothing: a change that is sent on may become a question on the way, and its answer look like success.
    writer: OnceLock<Client>,
    timeout: Duration,
}

impl ForgeServer {
    /// Contacts nothing.
    ///
    /// # Errors
    /// When the options cannot be used.
    pub fn new(options: ForgeServerOptions) -> Result<ForgeServer, RestError> {
        // Fails where there is one already: then that one serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A path is put behind a slash.
        let base = Url::parse(&format!("{}/", options.url.trim_end_matches('/')));
        let base = base.map_err(|_| failed("the address of the API is none"))?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(options.accept));
        if let Some((name, before, token)) = &options.token {
            let mut value = HeaderValue::from_str(&format!("{before}{}", token.expose()))
                .map_err(|_| failed("the token has characters that no token has"))?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(ForgeServer { base, headers, reader: OnceLock::new(), writer: OnceLock::new(), timeout: options.timeout })
    }

    fn reader(&self) -> Result<&Client, RestError> {
        let base = self.base.clone();
        // A repository that was renamed answers under its number.
        let moved = redirect::Policy::custom(move |attempt| {
            match is_within(&base, attempt.url()) && attempt.previous().len() <= MOST_MOVES {
                true => attempt.follow(),
                false => attempt.stop(),
            }
        });
        self.client(&self.reader, moved)
    }

    fn writer(&self) -> Result<&Client, RestError> {
        self.client(&self.writer, redirect::Policy::none())
    }

    fn client<'c>(&self, made: &'c OnceLock<Client>, redirected: redirect::Policy) -> Result<&'c Client, RestError> {
        if let Some(client) = made.get() {
            return Ok(client);
        }
        let mut builder = Client::builder()
            .redirect(redirected)
            .user_agent(concat!("feedbackd/", env!("CARGO_PKG_VERSION")))
            .default_headers(self.headers.clone())
            .timeout(self.timeout);
        if self.base.scheme() == "http" {
            // Without TLS the system need not have any certificates; and it is this machine, which no proxy reaches.
            builder = builder.tls_certs_only([]).no_proxy();
        }
        let client = builder.build().map_err(|e| failed(&format!("no HTTP client can be made: {}", cause(&e))))?;
        Ok(made.get_or_init(|| client))
    }

    /// Where to read.
    fn place(&self, address: &str) -> Result<Url, RestError> {
        // A path that begins with two slashes would name another server.
        let place = if address.starts_with("http") {
            Url::parse(address)
        } else {
            self.base.join(&format!("./{}", address.trim_start_matches('/')))
        };
        let place = place.map_err(|_| failed("the address of a page is none"))?;
        if is_within(&self.base, &place) { Ok(place) } else { Err(failed("it names a next page on another server")) }
    }
}

impl ForgeApi for ForgeServer {
    fn read(&self, address: &str, etag: Option<&str>) -> Result<ForgeAnswer, RestError> {
        let deadline = Instant::now() + self.timeout;
        let mut asked = self.reader()?.get(self.place(address)?);
        if let Some(etag) = etag.and_then(|etag| HeaderValue::from_str(etag).ok()) {
            asked = asked.header(IF_NONE_MATCH, etag);
        }
        answered(asked.send(), deadline)
    }

    fn write(&self, method: &str, address: &str, body: &Value) -> Result<ForgeAnswer, RestError> {
        let deadline = Instant::now() + self.timeout;
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| failed("there is no such method"))?;
        let mut sent = self.writer()?.request(method, self.place(address)?);
        if !body.is_null() {
            sent = sent.json(body);
        }
        answered(sent.send(), deadline)
    }
}

fn answered(sent: reqwest::Result<Response>, deadline: Instant) -> Result<ForgeAnswer, RestError> {
    let response = sent.map_err(|error| match error.is_timeout() {
        true => RestError::TimedOut,
        false => failed(&format!("it cannot be reached: {}", cause(&error))),
    })?;
    let mut answer = said(&response);
    if (200..=299).contains(&answer.status) {
        let body = read(response, deadline, LARGEST)?;
        // Gerrit puts that before its JSON, so that no page runs it as a script.
        let body = body.strip_prefix(b")]}'").unwrap_or(&body);
        if !body.is_empty() {
            answer.body = serde_json::from_slice(body).map_err(|_| failed("it sends what is no JSON"))?;
        }
    } else if matches!(answer.status, 403 | 429) {
        // What it says is not kept: it may repeat what was sent.
        let why = read(response, deadline, LARGEST_REFUSAL).unwrap_or_default();
        let why = String::from_utf8_lossy(&why).to_lowercase();
        answer.is_limited = answer.status == 429 || answer.left == Some(0) || why.contains("rate limit");
    }
    Ok(answer)
}

/// Whether a place is one of the API.
fn is_within(base: &Url, place: &Url) -> bool {
    let is_plain = place.username().is_empty() && place.password().is_none();
    is_plain && place.origin() == base.origin() && place.path().starts_with(base.path())
}

/// What the head of an answer says.
fn said(response: &Response) -> ForgeAnswer {
    let headers = response.headers();
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    // GitHub and Gitea write them one way, GitLab the other.
    let number = |name: &str| text(&format!("x-{name}")).or_else(|| text(name))?.parse().ok();
    let more_at: Option<u64> = number("ratelimit-reset");
    ForgeAnswer {
        status: response.status().as_u16(),
        body: Value::Null,
        next: text(LINK.as_str()).and_then(next),
        etag: text(ETAG.as_str()).map(str::to_owned),
        left: number("ratelimit-remaining"),
        more_at: more_at.and_then(|at| Timestamp::from_second(i64::try_from(at).ok()?).ok()),
        wait: text(RETRY_AFTER.as_str()).and_then(|text| text.parse().ok()).map(Duration::from_secs),
        is_limited: false,
    }
}

/// The address of the next page: `<https://…?page=2>; rel="next", …`.
fn next(link: &str) -> Option<String> {
    let mut links = link.split('<').skip(1).filter_map(|one| one.split_once('>'));
    links.find(|(_, rest)| rest.contains("rel=\"next\"")).map(|(address, _)| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str) -> ForgeServer {
        let timeout = Duration::from_secs(1);
        ForgeServer::new(ForgeServerOptions { url: url.to_owned(), token: None, accept: "*/*", timeout }).unwrap()
    }

    #[test]
    fn only_the_server_that_is_configured_is_asked() {
        let server = server("http://127.0.0.1:9/api/v1");
        let place = |address: &str| server.place(address).ok().map(|place| place.to_string());
        assert_eq!(place("/repos/a/b").as_deref(), Some("http://127.0.0.1:9/api/v1/repos/a/b"));
        assert_eq!(place("//evil.example/x").as_deref(), Some("http://127.0.0.1:9/api/v1/evil.example/x"));
        let next = "http://127.0.0.1:9/api/v1/repos?page=2";
        assert_eq!(place(next).as_deref(), Some(next));
        for elsewhere in [
            "http://evil.example/api/v1/repos?page=2",
            "https://127.0.0.1:9/api/v1/repos",
            "http://127.0.0.1:9/admin",
            "http://me@127.0.0.1:9/api/v1/x",
            "/../../admin",
        ] {
            assert_eq!(place(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn the_next_page_is_found_among_the_links() {
        let links = r#"<https://f.example/x?page=1>; rel="prev", <https://f.example/x?page=3&b=a,b>; rel="next""#;
        assert_eq!(next(links).as_deref(), Some("https://f.example/x?page=3&b=a,b"));
        assert_eq!(next(r#"<https://f.example/x?page=1>; rel="first""#), None);
        assert_eq!(next("nonsense"), None);
    }
}
