//! The pages: where each lies and what makes it. They are answered as the API's calls are: beside the event loop, a few at a
//! time, and not for ever.

use super::failure::Failure;
use super::pages::Pages;
use super::visit::{Visit, fields};
use super::{assets, contradictions, deciding, finding, groups, headers, inbox, keeping, proposals, rules};
use crate::http::identity::Caller;
use crate::http::limits::Limits;
use crate::http::reply::uncached;
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Path, Request};
use axum::http::{StatusCode, header};
use axum::middleware::map_response;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::timeout;

/// A page must be there after so long, the wait for its turn included.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Makes a page; may block.
type Show = fn(&Visit) -> Result<String, Failure>;

/// All pages.
const PAGES: &[(&str, Show)] = &[
    ("/", inbox::page),
    ("/proposals", proposals::list),
    ("/proposals/{id}", proposals::one),
    ("/rules", rules::list),
    ("/rules/{id}", rules::one),
    ("/contradictions", contradictions::list),
    ("/contradictions/{id}", contradictions::one),
    ("/groups", groups::list),
    ("/groups/{id}", groups::one),
    ("/search", finding::search),
    ("/feedback/{id}", finding::feedback),
    ("/lineage", finding::told),
    ("/lineage/{id}", finding::told),
    ("/edge-cases", keeping::edge_cases),
    ("/dead-letters", keeping::dead_letters),
    ("/roster", keeping::roster),
    ("/report", keeping::report),
];

/// Takes what somebody filled in; may block.
type Take = fn(&Visit) -> Result<Response, Failure>;

/// All that takes something.
const DEEDS: &[(&str, Take)] = &[("/decide", deciding::decide), ("/undo", deciding::undo)];

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
        let read = timeout(limits.body_time, to_bytes(request.into_body(), limits.body_bytes)).await;
        let Ok(Ok(body)) = read else {
            return plain(
                StatusCode::PAYLOAD_TOO_LARGE,
                "What was sent is too much, or came too slowly; nothing was decided.",
            );
        };
        visit.fields = fields(&body);
        self.made(visit, take).await
    }

    /// What is made of a visit, beside the event loop.
    async fn made<T, F>(self, visit: Visit, make: F) -> Response
    where
        T: IntoPage + Send + 'static,
        F: FnOnce(&Visit) -> Result<T, Failure> + Send + 'static,
    {
        let work = async move {
            let turn = self.calls.acquire_owned().await;
            // A page that nobody waits for any longer still has its turn until it ends.
            tokio::task::spawn_blocking(move || {
                let _turn = turn;
                make(&visit).map_err(|failure| (failure.status, failure.page(&visit)))
            })
            .await
        };
        match timeout(ANSWER_TIMEOUT, work).await {
            Ok(Ok(Ok(page))) => uncached(page.into_page()),
            Ok(Ok(Err((status, page)))) => {
                if status.is_server_error() {
                    tracing::warn!(%status, "a page cannot be shown");
                }
                (status, uncached(Html(page))).into_response()
            }
            Ok(Err(_)) => plain(StatusCode::INTERNAL_SERVER_ERROR, "A defect of feedbackd ended this page."),
            Err(_) => plain(StatusCode::SERVICE_UNAVAILABLE, "The page took too long; try again later."),
        }
    }
}

/// What becomes an answer: a page, or a way to another.
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

/// All pages.
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
    for (path, take) in DEEDS {
        let (pages, limits) = (pages.clone(), limits.clone());
        let handler = move |request: Request| pages.take(request, limits, *take);
        router = router.route(path, post(handler));
    }
    let next = move |request: Request| pages.answer(request, String::new(), inbox::next);
    router.route("/next", get(next)).merge(assets::router()).layer(map_response(headers::secured))
}

fn plain(status: StatusCode, text: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
