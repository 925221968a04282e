//! Logging in on the page, and out. Viewing the form or opening a login link changes nothing: only submitting does.

use super::cookie::{self, CookieStorage};
use super::identify::Identity;
use super::login_form::{fields, not_logged_in, within};
use super::{login_form, oidc_login};
use crate::cache_control::uncached;
use crate::problem::Problem;
use crate::redirect;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, RawQuery, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use std::sync::Arc;

/// Exceeds any token or address within the page.
const MAX_BODY: usize = 8 * 1024;
/// Returns the routes `/login` and `/logout`.
pub fn router(identity: Arc<Identity>) -> Router {
    Router::new()
        .route("/login", get(form).post(log_in))
        .route("/logout", post(log_out))
        .merge(oidc_login::router())
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(identity)
}

async fn form(State(identity): State<Arc<Identity>>, RawQuery(query): RawQuery) -> Response {
    let fields = fields(query.unwrap_or_default().as_bytes());
    let link = fields.get("link").map(String::as_str).filter(|link| !link.is_empty());
    login_form::form(&identity, within(&fields), link)
}

async fn log_in(State(identity): State<Arc<Identity>>, headers: HeaderMap, body: Bytes) -> Response {
    let fields = fields(&body);
    let token = fields.get("token").map_or("", |token| token.trim()).to_owned();
    let Some(people) = identity.people().cloned() else {
        return uncached(Problem::new(StatusCode::NOT_FOUND, "login is not available here"));
    };
    let before = cookie::session(&headers).map(str::to_owned);
    let tried = tokio::task::spawn_blocking(move || {
        let begun = people.log_in(&token)?;
        // A new login ends earlier sessions.
        before.iter().for_each(|before| people.log_out(before));
        Ok::<_, Problem>(begun)
    });
    match tried.await {
        Ok(Ok(id)) => {
            let cookie = cookie::begin(CookieStorage::by(&headers), &id).map(|cookie| [(SET_COOKIE, cookie)]);
            uncached((cookie, redirect::to(within(&fields))))
        }
        Ok(Err(problem)) => not_logged_in(&identity, within(&fields), problem.status(), problem.detail()),
        Err(_) => uncached(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "an internal error; see the daemon's log")),
    }
}

async fn log_out(State(identity): State<Arc<Identity>>, headers: HeaderMap) -> Response {
    if let (Some(people), Some(id)) = (identity.people(), cookie::session(&headers)) {
        people.log_out(id);
    }
    let cookie = cookie::end(CookieStorage::by(&headers)).map(|cookie| [(SET_COOKIE, cookie)]);
    uncached((cookie, redirect::to("/login")))
}
