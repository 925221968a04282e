//! One call, and how its parts are read and answered.

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
    /// The parts of the path.
    pub path: BTreeMap<String, String>,
    /// What stands after the path.
    pub query: String,
    pub body: Bytes,
    /// What tells a request that is sent again from a new one.
    pub key: Option<String>,
    /// Who asks, where that is known.
    pub caller: Option<Caller>,
    /// From which address.
    pub peer: IpAddr,
}

impl Call<'_> {
    /// A part of the path.
    pub fn part(&self, name: &str) -> String {
        self.path.get(name).cloned().unwrap_or_default()
    }

    /// Who decides, where the UI names this id.
    pub fn who(&self, named: &str) -> Result<String, Problem> {
        self.ui.people.who(self.caller.as_ref(), named, self.peer)
    }
}

/// An answer as JSON.
pub fn tell(answer: &impl Serialize) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(answer).map_err(|error| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the answer cannot be written: {error}"))
    })
}

/// Why a question has no answer.
pub fn refused(error: QueryError) -> Problem {
    let status = match &error {
        QueryError::NotFound { .. } => StatusCode::NOT_FOUND,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    Problem::new(status, error.to_string())
}
