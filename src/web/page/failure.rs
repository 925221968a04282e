//! Errors shown as a page.

use super::frame::Frame;
use super::link;
use super::request::Visit;
use super::text::shown;
use crate::app::queries::QueryError;
use crate::problem::Problem;
use askama::Template;
use axum::http::StatusCode;

/// Why a page cannot be shown.
#[derive(Debug)]
pub struct Failure {
    /// Returns its status.
    pub status: StatusCode,
    /// What is wrong, and what to do.
    pub detail: String,
    /// Similar ids.
    pub nearest: Vec<String>,
    /// The submitted fields, for resubmission.
    pub kept: Vec<(String, String)>,
}

impl Failure {
    /// Creates a failure with this status.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Failure {
        Failure { status, detail: detail.into(), nearest: Vec::new(), kept: Vec::new() }
    }

    /// The failure for an unknown caller.
    pub fn nobody() -> Failure {
        let detail = "You must be known to decide: log in with your token.";
        Failure::new(StatusCode::UNAUTHORIZED, detail)
    }

    /// Renders it as a page.
    pub fn page(&self, visit: &Visit) -> String {
        let title = self.status.canonical_reason().unwrap_or("It failed");
        let near = self.nearest.iter().map(|id| (link::to(place_of(&visit.path), id), id.clone())).collect();
        let page = FailurePage { frame: Frame::bare(visit, title), detail: &self.detail, near, kept: &self.kept };
        page.render().unwrap_or_else(|error| error.to_string())
    }
}

/// Returns the place of a path: `/proposals/x` is at `proposals`.
fn place_of(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Failure {
        match error {
            QueryError::NotFound { what, id, nearest } => {
                Failure { nearest, ..Failure::new(StatusCode::NOT_FOUND, format!("There is no {what} “{id}”.")) }
            }
            QueryError::NoWords => Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "It has no word to compare."),
            QueryError::Unreadable { .. } => Failure::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
            other => Failure::new(StatusCode::SERVICE_UNAVAILABLE, format!("{other}. Try again in a moment.")),
        }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        Failure::new(problem.status(), problem.detail())
    }
}

impl From<askama::Error> for Failure {
    fn from(error: askama::Error) -> Failure {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the page cannot be built: {error}"))
    }
}

#[derive(Template)]
#[template(path = "failure.html")]
struct FailurePage<'a> {
    frame: Frame,
    detail: &'a str,
    near: Vec<(String, String)>,
    kept: &'a [(String, String)],
}
