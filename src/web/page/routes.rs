//! The pages: their paths and builders. They are served like the API's calls: off the event loop, a few at a time, and
//! with a timeout.

use super::failure::Failure;
use super::pages::Pages;
use super::request::{Visit, fields};
use super::{
    admin, agents, assets, clusters, contradictions, dead_letters, demands, headers, imports, inbox, map, proposals,
    questions, rules, search, signature, submit,
};
use crate::auth::Caller;
use crate::body::body;
use crate::cache_control::uncached;
use crate::problem::Problem;
use crate::server::limits::Limits;
use crate::text::prose::capitalise;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request};
use axum::http::header;
use axum::middleware::map_response;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use std::collections::BTreeMap;

/// Builds a page; may block.
type Show = fn(&Visit) -> Result<String, Failure>;

/// Returns the routes of all pages.
const PAGES: &[(&str, Show)] = &[
    ("/", inbox::page),
    ("/demands", demands::page),
    ("/proposals", proposals::list),
    ("/proposals/{id}", proposals::one),
    ("/rules", rules::list),
    ("/rules/{id}", rules::one),
    ("/agents", agents::list),
    ("/agents/{id}", agents::one),
    ("/contradictions", contradictions::list),
    ("/contradictions/{id}", contradictions::one),
    ("/groups", clusters::list),
    ("/groups/map", map::page),
    ("/groups/{id}", clusters::one),
    ("/questions/{id}", questions::one),
    ("/search", search::search),
    ("/feedback/{id}", search::feedback),
    ("/lineage", search::told),
    ("/lineage/{id}", search::told),
    ("/edge-cases", admin::edge_cases),
    ("/dead-letters", dead_letters::list),
    ("/dead-letters/{id}", dead_letters::one),
    ("/imports", imports::page),
    ("/roster", admin::roster),
    ("/report", admin::report),
];

/// Files to download.
const FILES: &[(&str, Take)] = &[
    ("/agents/{id}/prompt.md", agents::prompt),
    ("/agents/{id}/AGENTS.md", agents::file),
    ("/AGENTS.md", agents::file_for_all),
];

/// Handles a form submission or a download; may block.
type Take = fn(&Visit) -> Result<Response, Failure>;

/// All form handlers.
const DEEDS: &[(&str, Take)] = &[
    ("/decide", submit::decide),
    ("/undo", submit::undo),
    ("/dead-letters/send", dead_letters::send),
    ("/sign", signature::sign),
    ("/sign/text", signature::download),
];

impl Pages {
    fn visit(&self, request: &Request, id: String, fields: BTreeMap<String, Vec<String>>) -> Visit {
        let caller = request.extensions().get::<Option<Caller>>().cloned().flatten();
        Visit { path: request.uri().path().to_owned(), fields, pages: self.clone(), id, caller }
    }

    async fn answer<T>(self, request: Request, id: String, make: fn(&Visit) -> Result<T, Failure>) -> Response
    where
        T: IntoPage + Send + 'static,
    {
        let visit = self.visit(&request, id, fields(request.uri().query().unwrap_or_default().as_bytes()));
        self.made(visit, make).await
    }

    async fn take(self, request: Request, limits: Limits, take: Take) -> Response {
        let mut visit = self.visit(&request, String::new(), BTreeMap::new());
        visit.fields = match body(request, limits.body_bytes, limits.body_time).await {
            Ok(body) => fields(&body),
            Err(problem) => return plain(&problem, "; nothing was decided"),
        };
        self.made(visit, take).await
    }

    /// Handles a visit off the event loop.
    async fn made<T, F>(self, visit: Visit, make: F) -> Response
    where
        T: IntoPage + Send + 'static,
        F: FnOnce(&Visit) -> Result<T, Failure> + Send + 'static,
    {
        let making = move || make(&visit).map_err(|failure| (failure.status, failure.page(&visit)));
        match self.turns.take(making).await {
            Ok(Ok(page)) => uncached(page.into_page()),
            Ok(Err((status, page))) => {
                if status.is_server_error() {
                    tracing::warn!(%status, "a page could not be shown");
                }
                (status, uncached(Html(page))).into_response()
            }
            Err(not_done) => plain(&not_done.into(), ""),
        }
    }
}

/// What converts to a response: a page, or a redirect.
trait IntoPage {
    fn into_page(self) -> Response;
}

impl IntoPage for String {
    fn into_page(self) -> Response {
        Html(self).into_response()
    }
}

impl IntoPage for Response {
    fn into_page(self) -> Response {
        self
    }
}

/// Returns the routes of all pages.
pub fn router(pages: Pages, limits: &Limits) -> Router {
    let mut router = Router::new();
    for (path, show) in PAGES {
        let pages = pages.clone();
        let handler = move |id: Option<Path<String>>, request: Request| {
            let id = id.map_or_else(String::new, |Path(id)| id);
            pages.answer(request, id, *show)
        };
        router = router.route(path, get(handler));
    }
    for (path, take) in FILES {
        let pages = pages.clone();
        let handler = move |id: Option<Path<String>>, request: Request| {
            let id = id.map_or_else(String::new, |Path(id)| id);
            pages.answer(request, id, *take)
        };
        router = router.route(path, get(handler));
    }
    for (path, take) in DEEDS {
        let (pages, limits) = (pages.clone(), limits.clone());
        let handler = move |request: Request| pages.take(request, limits, *take);
        router = router.route(path, post(handler));
    }
    let next = move |request: Request| pages.answer(request, String::new(), inbox::next);
    router
        .route("/next", get(next))
        .merge(assets::router())
        .layer(DefaultBodyLimit::max(limits.body_bytes))
        .layer(map_response(headers::secured))
}

/// Renders a plain error when not even an error page can be built.
fn plain(problem: &Problem, more: &str) -> Response {
    let text = format!("{}{more}.", capitalise(problem.detail()));
    (problem.status(), [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
