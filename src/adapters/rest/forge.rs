//! A forge's API over HTTP: pages and changes, with the server's rate limits, bounded in time and size.
//!
//! The token leaves this module in one header only, and only to the configured server: a redirect for a moved
//! repository must stay on the same server. The address of a next page may be spelled differently, because a forge
//! knows itself by its public address. In that case its query is applied to the requested page.

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
/// The largest error response that is read, in KB.
const LARGEST_REFUSAL: usize = 64;
/// Maximum number of redirects.
const MOST_MOVES: usize = 3;

/// Address of an API and how to query it.
#[derive(Clone, Debug)]
pub struct ForgeServerOptions {
    /// The base URL.
    pub url: String,
    /// The token header: its name, the prefix of its value, and the token, if there is one.
    pub token: Option<(&'static str, &'static str, Secret)>,
    /// The content type to accept.
    pub accept: &'static str,
    /// Response timeout.
    pub timeout: Duration,
}

/// A forge's API. Must be read outside async code.
pub struct ForgeServer {
    base: Url,
    headers: HeaderMap,
    /// Created on first use, not when the daemon is assembled, which is async.
    reader: OnceLock<Client>,
    /// Follows no redirects: a redirected change may turn into a GET whose answer looks like success.
    writer: OnceLock<Client>,
    timeout: Duration,
}

impl ForgeServer {
    /// Contacts nothing.
    ///
    /// # Errors
    /// If the options are invalid.
    pub fn new(options: ForgeServerOptions) -> Result<ForgeServer, RestError> {
        // Fails if a provider is already installed; that one is then used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A path is joined after a slash.
        let base = Url::parse(&format!("{}/", options.url.trim_end_matches('/')));
        let base = base.map_err(|_| failed("invalid API URL"))?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(options.accept));
        if let Some((name, before, token)) = &options.token {
            let mut value = HeaderValue::from_str(&format!("{before}{}", token.expose()))
                .map_err(|_| failed("the token has invalid characters"))?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(ForgeServer { base, headers, reader: OnceLock::new(), writer: OnceLock::new(), timeout: options.timeout })
    }

    fn reader(&self) -> Result<&Client, RestError> {
        let base = self.base.clone();
        // A renamed repository answers under its number.
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
            // Without TLS the system needs no certificates. The server is this machine, which no proxy reaches.
            builder = builder.tls_certs_only([]).no_proxy();
        }
        let client = builder.build().map_err(|e| failed(&format!("cannot create an HTTP client: {}", cause(&e))))?;
        Ok(made.get_or_init(|| client))
    }

    /// Returns the URL to read.
    fn place(&self, address: &str) -> Result<Url, RestError> {
        // A path that begins with two slashes would name another server.
        let place = if address.starts_with("http") {
            Url::parse(address)
        } else {
            self.base.join(&format!("./{}", address.trim_start_matches('/')))
        };
        let place = place.map_err(|_| failed("invalid page URL"))?;
        if is_within(&self.base, &place) { Ok(place) } else { Err(RestError::Elsewhere) }
    }

    /// Returns the address of the next page, as given by the requested page.
    fn next_place(&self, asked: &Url, link: &str) -> Result<String, RestError> {
        let named = asked.join(link).map_err(|_| RestError::Elsewhere)?;
        if is_within(&self.base, &named) {
            return Ok(named.into());
        }
        let query = named.query().filter(|query| !query.is_empty() && Some(*query) != asked.query());
        let mut next = asked.clone();
        next.set_query(Some(query.ok_or(RestError::Elsewhere)?));
        Ok(next.into())
    }
}

impl ForgeApi for ForgeServer {
    fn read(&self, address: &str, etag: Option<&str>) -> Result<ForgeAnswer, RestError> {
        let deadline = Instant::now() + self.timeout;
        let mut asked = self.reader()?.get(self.place(address)?);
        if let Some(etag) = etag.and_then(|etag| HeaderValue::from_str(etag).ok()) {
            asked = asked.header(IF_NONE_MATCH, etag);
        }
        let mut answer = answered(asked.send(), deadline)?;
        if let Some((at, paging)) = answer.paging.take() {
            answer.said.next = match paging.link {
                Some(link) => Some(self.next_place(&at, &link)?),
                None => paging.next_page(&at, answer.said.body.as_array().map_or(0, Vec::len)),
            };
        }
        Ok(answer.said)
    }

    fn write(&self, method: &str, address: &str, body: &Value) -> Result<ForgeAnswer, RestError> {
        let deadline = Instant::now() + self.timeout;
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| failed("invalid HTTP method"))?;
        let mut sent = self.writer()?.request(method, self.place(address)?);
        if !body.is_null() {
            sent = sent.json(body);
        }
        Ok(answered(sent.send(), deadline)?.said)
    }
}

/// A response with its paging information and the address that answered.
struct Answer {
    said: ForgeAnswer,
    paging: Option<(Url, Paging)>,
}

/// Paging information in the response headers.
#[derive(Debug, Default, PartialEq, Eq)]
struct Paging {
    /// The address of the next page.
    link: Option<String>,
    /// The next page's number, which GitLab also sends.
    number: Option<u64>,
    /// The total number of items, as sent by Gitea and Forgejo; for some lists they send nothing else.
    total: Option<u64>,
    /// Whether there are more pages, as sent by old versions of Gitea.
    has_more: bool,
}

impl Paging {
    fn of(headers: &HeaderMap) -> Paging {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
        let number = |name: &str| text(name)?.parse().ok();
        // A proxy may have split the header.
        let links: Vec<&str> = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok()).collect();
        Paging {
            link: next(&links.join(", ")),
            number: number("x-next-page"),
            total: number("x-total-count"),
            has_more: text("x-hasmore") == Some("true"),
        }
    }

    /// Returns the next page if no address is given, after a page with this many items.
    fn next_page(&self, asked: &Url, items: usize) -> Option<String> {
        let page = asked.query_pairs().find(|(name, _)| name == "page").and_then(|(_, page)| page.parse().ok());
        let page: u64 = page.unwrap_or(1);
        let seen = page.saturating_mul(items as u64);
        let has_more = items > 0 && (self.has_more || self.total.is_some_and(|total| seen < total));
        let next = self.number.or(has_more.then(|| page.saturating_add(1)))?;
        let mut address = asked.clone();
        let others: Vec<(String, String)> =
            asked.query_pairs().filter(|(name, _)| name != "page").map(|(n, v)| (n.into(), v.into())).collect();
        address.query_pairs_mut().clear().extend_pairs(others).append_pair("page", &next.to_string());
        Some(address.into())
    }
}

fn answered(sent: reqwest::Result<Response>, deadline: Instant) -> Result<Answer, RestError> {
    let response = sent.map_err(|error| match error.is_timeout() {
        true => RestError::TimedOut,
        false => failed(&format!("it cannot be reached: {}", cause(&error))),
    })?;
    let mut answer = said(&response);
    let paging = (response.url().clone(), Paging::of(response.headers()));
    if (200..=299).contains(&answer.status) {
        let body = read(response, deadline, LARGEST)?;
        // Gerrit prefixes its JSON with this so that no page can run it as a script.
        let body = body.strip_prefix(b")]}'").unwrap_or(&body);
        if !body.is_empty() {
            answer.body = serde_json::from_slice(body).map_err(|_| failed("its response is not JSON"))?;
        }
    } else if matches!(answer.status, 403 | 429) {
        // The content is not kept: it may repeat what was sent.
        let why = read(response, deadline, LARGEST_REFUSAL).unwrap_or_default();
        let why = String::from_utf8_lossy(&why).to_lowercase();
        answer.is_limited = answer.status == 429 || answer.left == Some(0) || why.contains("rate limit");
    }
    let paging = (answer.status == 200).then_some(paging);
    Ok(Answer { said: answer, paging })
}

/// Reports whether a URL belongs to the API.
fn is_within(base: &Url, place: &Url) -> bool {
    let is_plain = place.username().is_empty() && place.password().is_none();
    is_plain && place.origin() == base.origin() && place.path().starts_with(base.path())
}

/// Parses the response headers.
fn said(response: &Response) -> ForgeAnswer {
    let headers = response.headers();
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    // GitHub and Gitea use one spelling, GitLab the other.
    let number = |name: &str| text(&format!("x-{name}")).or_else(|| text(name))?.parse().ok();
    let more_at: Option<u64> = number("ratelimit-reset");
    ForgeAnswer {
        status: response.status().as_u16(),
        body: Value::Null,
        next: None,
        etag: text(ETAG.as_str()).map(str::to_owned),
        left: number("ratelimit-remaining"),
        more_at: more_at.and_then(|at| Timestamp::from_second(i64::try_from(at).ok()?).ok()),
        wait: text(RETRY_AFTER.as_str()).and_then(|text| text.parse().ok()).map(Duration::from_secs),
        is_limited: false,
    }
}

/// Returns the address of the next page: `<https://…?page=2>; rel="next", …`.
fn next(link: &str) -> Option<String> {
    let mut links = link.split('<').skip(1).filter_map(|one| one.split_once('>'));
    let is_next = |rest: &str| {
        let rest = rest.to_ascii_lowercase().replace([' ', '\t'], "");
        // Up to the next link. A relation may be quoted or unquoted.
        rest.split([';', ',']).any(|one| matches!(one, "rel=\"next\"" | "rel=next" | "rel='next'"))
    };
    links.find(|(_, rest)| is_next(rest)).map(|(address, _)| address.to_owned())
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
        for spelled in ["; rel=next", ";rel=\"next\"; title=x", "; title=\"a\"; REL=\"next\", "] {
            assert_eq!(next(&format!("</x?page=2>{spelled}")).as_deref(), Some("/x?page=2"), "{spelled}");
        }
        assert_eq!(next(r#"<https://f.example/x?page=1>; rel="first""#), None);
        assert_eq!(next("nonsense"), None);
    }

    #[test]
    fn a_next_page_under_another_name_of_the_forge_is_asked_where_the_api_is() {
        let server = server("http://127.0.0.1:9/api/v1");
        let asked = Url::parse("http://127.0.0.1:9/api/v1/repos/a/b/pulls?state=all&limit=50").unwrap();
        let next = |link: &str| server.next_place(&asked, link);
        let page = |query: &str| Ok(format!("http://127.0.0.1:9/api/v1/repos/a/b/pulls?{query}"));
        assert_eq!(next("https://git.example.org/api/v1/repos/a/b/pulls?limit=50&page=2"), page("limit=50&page=2"));
        assert_eq!(next("https://git.example.org/git/api/v1/repositories/7/pulls?page=2"), page("page=2"));
        assert_eq!(next("/api/v1/repos/a/b/pulls?page=2"), page("page=2"));
        assert_eq!(next("?page=2"), page("page=2"));
        let numbered = "http://127.0.0.1:9/api/v1/repositories/7/pulls?page=2";
        assert_eq!(next(numbered), Ok(numbered.to_owned()));
        for nowhere in
            ["https://evil.example/", "http://127.0.0.1:9/admin", "http://x@127.0.0.1:9/api/v1/p", "javascript:x"]
        {
            assert_eq!(next(nowhere), Err(RestError::Elsewhere), "{nowhere}");
        }
        let same = "https://git.example.org/api/v1/repos/a/b/pulls?state=all&limit=50";
        assert_eq!(next(same), Err(RestError::Elsewhere), "the page that was asked is no next one");
    }

    #[test]
    fn where_no_address_is_named_the_number_or_the_count_says_whether_there_is_a_page_more() {
        let asked = |query: &str| Url::parse(&format!("http://127.0.0.1:9/reviews?{query}")).unwrap();
        let next = |paging: &Paging, query: &str, items: usize| {
            paging.next_page(&asked(query), items).map(|next| next.rsplit_once('?').unwrap().1.to_owned())
        };
        let by_number = Paging { number: Some(3), ..Paging::default() };
        assert_eq!(next(&by_number, "per_page=2&page=2", 2).as_deref(), Some("per_page=2&page=3"));
        let by_count = Paging { total: Some(60), ..Paging::default() };
        assert_eq!(next(&by_count, "limit=50", 50).as_deref(), Some("limit=50&page=2"));
        assert_eq!(next(&by_count, "limit=50&page=2", 0), None);
        assert_eq!(next(&by_count, "", 60), None, "a list without pages has all of it");
        let old = Paging { has_more: true, ..Paging::default() };
        assert_eq!(next(&old, "page=4", 1).as_deref(), Some("page=5"));
        assert_eq!(next(&Paging::default(), "", 50), None);
    }
}
