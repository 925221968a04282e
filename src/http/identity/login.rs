//! Logging in on the page, and out. Looking at the form, or opening a login link, changes nothing: only sending does.

use super::identify::Identity;
use super::{by_provider, cookie};
use crate::http::problem::Problem;
use crate::http::reply::uncached;
use crate::metrics::{self, HttpRefusal};
use askama::Template;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, RawQuery, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use std::collections::BTreeMap;
use std::sync::Arc;

/// No token and no address within the page is longer.
const MAX_BODY: usize = 8 * 1024;
/// The page holds what logs somebody in: it may be in no frame and tell nobody where it came from.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

#[derive(Template)]
#[template(
    ext = "html",
    source = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Log in · feedbackd</title>
<link rel="stylesheet" href="/assets/page.css">
</head>
<body>
<main id="main">
<h1>Log in</h1>
{% if let Some(wrong) = wrong %}<p role="alert">{{ wrong }}</p>{% endif %}
<form method="post" action="/login">
<input type="hidden" name="next" value="{{ next }}">
{% if let Some(link) = link %}
<input type="hidden" name="token" value="{{ link }}">
<p>This link logs you in once.</p>
<p><button type="submit" autofocus>Log in</button></p>
{% else %}
<p><label for="token">Your token</label><br>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus></p>
<p>Whoever runs the daemon makes one with <code>feedbackd token create --as YOU</code>.</p>
<p><button type="submit">Log in</button></p>
{% endif %}
</form>
{% if let Some((host, address)) = provider %}<p>Or <a href="{{ address }}">log in with {{ host }}</a>.</p>{% endif %}
</main>
</body>
</html>"#
)]
struct Form<'a> {
    next: &'a str,
    link: Option<&'a str>,
    wrong: Option<&'a str>,
    /// The host of the provider that people log in through, and where that begins.
    provider: Option<(&'a str, String)>,
}

/// `/login` and `/logout`.
pub fn router(identity: Arc<Identity>) -> Router {
    Router::new()
        .route("/login", get(form).post(log_in))
        .route("/logout", post(log_out))
        .merge(by_provider::router())
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(identity)
}

async fn form(State(identity): State<Arc<Identity>>, RawQuery(query): RawQuery) -> Response {
    let fields = fields(query.unwrap_or_default().as_bytes());
    let link = fields.get("link").map(String::as_str).filter(|link| !link.is_empty());
    let next = within(&fields);
    shown(StatusCode::OK, &Form { next, link, wrong: None, provider: provider(&identity, next) })
}

/// The provider that people log in through, and where that begins.
fn provider<'a>(identity: &'a Identity, next: &str) -> Option<(&'a str, String)> {
    let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    identity.oidc().map(|oidc| (oidc.host(), format!("{}?next={next}", by_provider::BEGIN)))
}

async fn log_in(State(identity): State<Arc<Identity>>, headers: HeaderMap, body: Bytes) -> Response {
    let fields = fields(&body);
    let token = fields.get("token").map_or("", |token| token.trim()).to_owned();
    let Some(people) = identity.people().cloned() else {
        return uncached(Problem::new(StatusCode::NOT_FOUND, "nobody can log in here"));
    };
    let before = cookie::session(&headers).map(str::to_owned);
    let tried = tokio::task::spawn_blocking(move || {
        let begun = people.log_in(&token)?;
        // Whoever logs in anew is not also who they were before.
        before.iter().for_each(|before| people.log_out(before));
        Ok::<_, Problem>(begun)
    });
    match tried.await {
        Ok(Ok(id)) => {
            let cookie = cookie::begin(&headers, &id).map(|cookie| [(SET_COOKIE, cookie)]);
            uncached((cookie, Redirect::to(within(&fields))))
        }
        Ok(Err(problem)) => {
            metrics::http_refused(HttpRefusal::Token);
            let (wrong, next) = (Some(problem.detail()), within(&fields));
            shown(problem.status(), &Form { next, link: None, wrong, provider: provider(&identity, next) })
        }
        Err(_) => uncached(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "a defect of feedbackd ended this")),
    }
}

async fn log_out(State(identity): State<Arc<Identity>>, headers: HeaderMap) -> Response {
    if let (Some(people), Some(id)) = (identity.people(), cookie::session(&headers)) {
        people.log_out(id);
    }
    let cookie = cookie::end(&headers).map(|cookie| [(SET_COOKIE, cookie)]);
    uncached((cookie, Redirect::to("/login")))
}

/// That nobody was logged in, with the way to try again.
pub(super) fn not_logged_in(identity: &Identity, status: StatusCode, wrong: &str) -> Response {
    metrics::http_refused(HttpRefusal::Token);
    shown(status, &Form { next: "/", link: None, wrong: Some(wrong), provider: provider(identity, "/") })
}

/// A page that holds what logs somebody in.
pub(super) fn shown(status: StatusCode, page: &impl Template) -> Response {
    let page = page.render().unwrap_or_default();
    let headers = [
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (status, headers, uncached(Html(page))).into_response()
}

/// Where to go on: a path of ours and nothing that leads elsewhere.
pub(super) fn within(fields: &BTreeMap<String, String>) -> &str {
    let next = fields.get("next").map_or("/", String::as_str);
    let ours = next.starts_with('/')
        && !next[1..].starts_with(['/', '\\'])
        && next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if ours { next } else { "/" }
}

pub(super) fn fields(text: &[u8]) -> BTreeMap<String, String> {
    form_urlencoded::parse(text).into_owned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logging_in_leads_to_nobody_else() {
        let next = |text: &str| within(&BTreeMap::from([("next".to_owned(), text.to_owned())])).to_owned();
        assert_eq!(next("/proposals/RULE-2026-0001?done=1"), "/proposals/RULE-2026-0001?done=1");
        for foreign in ["", "//evil.example", "/\\evil.example", "https://evil.example", "/x\ny", "/\u{e9}", "evil"] {
            assert_eq!(next(foreign), "/", "{foreign}");
        }
    }
}
