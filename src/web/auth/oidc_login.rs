//! Logging in through a provider: the redirect there, and the callback.
//!
//! It begins with a link, because a form may not lead elsewhere (`form-action`). It ends with a page of our own, not a
//! redirect: the session's cookie is strict, and a browser would not send it on a navigation that began elsewhere.

use super::authenticator::People;
use super::cookie;
use super::identify::Identity;
use super::login_form::{BEGIN, fields, not_logged_in, shown, within};
use super::oidc::{Begun, Oidc, PATIENCE, VerifiedPerson};
use super::provider::NotKnown;
use crate::cache_control::uncached;
use crate::problem::Problem;
use askama::Template;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;

/// The provider's callback path.
pub const BACK: &str = "/login/oidc/callback";

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
<meta http-equiv="refresh" content="0; url={{ next }}">
<title>Logged in · feedbackd</title>
<link rel="stylesheet" href="/assets/page.css">
</head>
<body>
<main id="main">
<h1>You are {{ reviewer }}</h1>
<p>{{ host }} knows you. <a href="{{ next }}">Go on</a></p>
</main>
</body>
</html>"#
)]
struct LoggedIn<'a> {
    reviewer: &'a str,
    host: &'a str,
    next: &'a str,
}

/// Returns both routes.
pub fn router() -> Router<Arc<Identity>> {
    Router::new().route(BEGIN, get(begin)).route(BACK, get(back))
}

async fn begin(State(identity): State<Arc<Identity>>, RawQuery(query): RawQuery) -> Response {
    let Some(oidc) = identity.oidc().cloned() else { return nobody() };
    let next = within(&fields(query.unwrap_or_default().as_bytes())).to_owned();
    let kept = oidc.kept();
    match tokio::task::spawn_blocking(move || oidc.begin(next)).await {
        Ok(Ok(Begun { to, browser })) => {
            let cookie = cookie::begin_login(kept, &browser, PATIENCE).map(|cookie| [(SET_COOKIE, cookie)]);
            uncached((StatusCode::SEE_OTHER, cookie, [(LOCATION, to)]))
        }
        Ok(Err(why)) => refused(&identity, &why),
        Err(_) => defect(),
    }
}

async fn back(State(identity): State<Arc<Identity>>, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let (Some(oidc), Some(people)) = (identity.oidc().cloned(), identity.people().cloned()) else { return nobody() };
    let mut fields = fields(query.unwrap_or_default().as_bytes());
    let state = fields.remove("state").unwrap_or_default();
    let said = || fields.get("error").cloned().unwrap_or_else(|| "it sent no code".to_owned());
    let code = fields.get("code").cloned().ok_or_else(said);
    let kept = oidc.kept();
    let browser = cookie::login(kept, &headers).unwrap_or_default().to_owned();
    let before = cookie::session(&headers).map(str::to_owned);
    let work = move || {
        let known = oidc.finish(&state, code, &browser)?;
        log_in(&people, &oidc, known, before.as_deref())
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok((session, page))) => {
            let cookies = [cookie::begin(kept, &session), cookie::begin_login(kept, "", PATIENCE)];
            let mut answer = page;
            for cookie in cookies.into_iter().flatten() {
                answer.headers_mut().append(SET_COOKIE, cookie);
            }
            answer
        }
        Ok(Err(Trouble::Provider(why))) => refused(&identity, &why),
        Ok(Err(Trouble::Roster(problem))) => not_logged_in(&identity, "/", problem.status(), problem.detail()),
        Err(_) => defect(),
    }
}

/// Why the login failed.
enum Trouble {
    Provider(NotKnown),
    Roster(Problem),
}

impl From<NotKnown> for Trouble {
    fn from(why: NotKnown) -> Trouble {
        Trouble::Provider(why)
    }
}

fn log_in(
    people: &People,
    oidc: &Oidc,
    known: VerifiedPerson,
    before: Option<&str>,
) -> Result<(String, Response), Trouble> {
    let session = people.log_in_known(&known.reviewer).map_err(Trouble::Roster)?;
    // A new login ends earlier sessions.
    before.iter().for_each(|before| people.log_out(before));
    tracing::info!(reviewer = known.reviewer, by = oidc.host(), "a person logged in");
    let page = LoggedIn { reviewer: &known.reviewer, host: oidc.host(), next: &known.next };
    Ok((session, shown(StatusCode::OK, &page)))
}

fn refused(identity: &Identity, why: &NotKnown) -> Response {
    let (status, reason) = match why {
        NotKnown::Provider(reason) => (StatusCode::BAD_GATEWAY, reason.as_str()),
        NotKnown::Unproven(reason) => (StatusCode::BAD_GATEWAY, reason.as_str()),
        NotKnown::NotBegun => (StatusCode::BAD_REQUEST, ""),
        NotKnown::Refused(reason) | NotKnown::Nobody(reason) => (StatusCode::FORBIDDEN, reason.as_str()),
    };
    let reason: String = reason.chars().filter(|c| !c.is_control()).take(400).collect();
    tracing::warn!(%why, reason, "a login through the provider failed");
    not_logged_in(identity, "/", status, &crate::text::prose::capitalise(&format!("{why}.")))
}

fn nobody() -> Response {
    let detail = "login through a provider is not configured (http.oidc)";
    uncached(Problem::new(StatusCode::NOT_FOUND, detail).at(&axum::http::Uri::from_static(BEGIN))).into_response()
}

fn defect() -> Response {
    uncached(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "an internal error; see the daemon's log"))
}
