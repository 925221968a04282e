//! The definition of a call in the table.

use super::request::{ApiRequest, MAX_LIMIT, Parameter};
use super::response::ApiResponse;
use crate::problem::Problem;
use crate::services::Services;
use axum::http::StatusCode;
use schemars::{Schema, SchemaGenerator, json_schema};

/// The content type of nearly every body.
pub const JSON: &[&str] = &["application/json"];
/// Number of requested items.
pub const LIMIT: Parameter = Parameter::new("limit", "maximum number of items, 1 to 500; default 50")
    .of(|_| json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT }));
/// A status shared by several calls.
pub const UNREADABLE: (StatusCode, &str) = (StatusCode::BAD_REQUEST, "The request cannot be read.");
/// A status shared by several calls.
pub const UNFIT: (StatusCode, &str) = (StatusCode::UNPROCESSABLE_ENTITY, "The body does not have the shape it needs.");

/// A status shared by several calls.
pub const CONFLICT: (StatusCode, &str) =
    (StatusCode::CONFLICT, "It is already so, or it is impossible; nothing changed.");

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Changes nothing, takes no body.
    Get,
    /// Takes a body.
    Post,
}

/// A body.
pub struct Body {
    /// Its content types.
    pub types: &'static [&'static str],
    /// Its shape.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// Whether a call decides something, and what must accompany it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// It decides nothing.
    Nothing,
    /// It accepts an `Idempotency-Key`.
    Something,
    /// It must also name, in `If-Match`, the text that was seen.
    AboutText,
}

/// One call.
pub struct Operation {
    /// Its method.
    pub verb: Verb,
    /// Its path below the root.
    pub path: &'static str,
    /// Its name in clients.
    pub id: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its query parameters.
    pub query: &'static [Parameter],
    /// Its request body.
    pub body: Option<Body>,
    /// Its response.
    pub answer: fn(&mut SchemaGenerator) -> Schema,
    /// Its own errors, in addition to those of every call.
    pub problems: &'static [(StatusCode, &'static str)],
    /// Whether it decides something.
    pub decides: Decides,
    /// The handler; may block.
    pub call: fn(&Services, &ApiRequest) -> Result<ApiResponse, Problem>,
}
