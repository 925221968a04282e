//! A call, with parsing of its parts and responses.

use super::state::ReviewUi;
use crate::app::queries::QueryError;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::services::Services;
use axum::body::Bytes;
use axum::http::StatusCode;
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// One call.
pub struct Call<'a> {
    pub ui: &'a ReviewUi,
    pub services: &'a Services,
    /// The path parameters.
    pub path: BTreeMap<String, String>,
    /// The query string.
    pub query: String,
    pub body: Bytes,
    /// The key that distinguishes a repeated request from a new one.
    pub key: Option<String>,
    /// The caller, if known.
    pub caller: Option<Caller>,
    /// The caller's address.
    pub peer: IpAddr,
}

impl Call<'_> {
    /// Returns a path parameter.
    pub fn part(&self, name: &str) -> String {
        self.path.get(name).cloned().unwrap_or_default()
    }

    /// Returns the deciding person for the id named by the UI.
    pub fn who(&self, named: &str) -> Result<String, Problem> {
        self.ui.people.who(self.caller.as_ref(), named, self.peer)
    }
}

/// Serializes an answer as JSON.
pub fn tell(answer: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(answer).map_err(|error| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the answer cannot be written: {error}"))
    })
}

/// Converts a query error to a problem.
pub fn refused(error: QueryError) -> Problem {
    let status = match &error {
        QueryError::NotFound { .. } => StatusCode::NOT_FOUND,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    Problem::new(status, error.to_string())
}
