//! The login page and its form.

use super::identify::Identity;
use crate::cache_control::uncached;
use crate::metrics;
use crate::metrics::HttpRefusal;
use crate::redirect::local;
use askama::Template;
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use std::collections::BTreeMap;

/// The start of a login through a provider.
pub const BEGIN: &str = "/login/oidc";
/// The page contains credentials: it may not be framed or send a referrer.
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
<p>The administrator of the daemon creates one with <code>feedbackd token create --as YOU</code>.</p>
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
    /// The provider's host, and where its login begins.
    provider: Option<(&'a str, String)>,
}

/// Renders the form, continuing at `next`; with a link, only the button.
pub fn form(identity: &Identity, next: &str, link: Option<&str>) -> Response {
    shown(StatusCode::OK, &Form { next, link, wrong: None, provider: provider(identity, next) })
}

/// Renders a failed login with its reason and a way to try again.
pub fn not_logged_in(identity: &Identity, next: &str, status: StatusCode, wrong: &str) -> Response {
    metrics::http_refused(HttpRefusal::Token);
    shown(status, &Form { next, link: None, wrong: Some(wrong), provider: provider(identity, next) })
}

/// Returns the login provider, and where its login begins.
fn provider<'a>(identity: &'a Identity, next: &str) -> Option<(&'a str, String)> {
    let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    identity.oidc().map(|oidc| (oidc.host(), format!("{}?next={next}", BEGIN)))
}

/// Returns a page that contains credentials.
pub fn shown(status: StatusCode, page: &impl Template) -> Response {
    let page = page.render().unwrap_or_default();
    let headers = [
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (status, headers, uncached(Html(page))).into_response()
}

/// Returns where to continue: only a local path.
pub fn within(fields: &BTreeMap<String, String>) -> &str {
    let next = fields.get("next").map_or("/", String::as_str);
    local(next)
}

/// Parses the fields of a form or a query.
pub fn fields(text: &[u8]) -> BTreeMap<String, String> {
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
