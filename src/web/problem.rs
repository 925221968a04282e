//! Errors as RFC 9457 problem documents.

use crate::app::blocking_pool::NotDone;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A problem document; its type is always `about:blank`, so the status states the kind.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    #[serde(flatten)]
    more: BTreeMap<&'static str, Value>,
}

impl Problem {
    /// Creates a problem with this status; the detail states what to do.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.into(),
            instance: None,
            more: BTreeMap::new(),
        }
    }

    /// Adds an extension member.
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Problem {
        self.more.insert(name, value.into());
        self
    }

    /// Returns its status.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Returns what is wrong, in words.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Returns the code of a rejection, if it is one.
    pub fn code(&self) -> Option<&str> {
        self.more.get("code")?.as_str()
    }

    /// Returns it as JSON text.
    pub fn body(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Adds where it happened: the path, without the query, which may contain private data.
    pub fn at(self, uri: &Uri) -> Problem {
        Problem { instance: Some(uri.path().to_owned()), ..self }
    }
}

impl From<NotDone> for Problem {
    fn from(not_done: NotDone) -> Problem {
        let status = match not_done {
            NotDone::Late(_) => StatusCode::SERVICE_UNAVAILABLE,
            NotDone::Defect | NotDone::Stopping => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Problem::new(status, not_done.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        (status, [(header::CONTENT_TYPE, "application/problem+json")], self.body()).into_response()
    }
}
