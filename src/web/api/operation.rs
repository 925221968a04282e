//! What the table says of a call.

use super::request::{Asked, MAX_LIMIT, Parameter};
use super::response::Told;
use crate::problem::Problem;
use crate::services::Services;
use axum::http::StatusCode;
use schemars::{Schema, SchemaGenerator, json_schema};

/// The content type of nearly every body.
pub const JSON: &[&str] = &["application/json"];
/// How many things are wanted.
pub const LIMIT: Parameter = Parameter::new("limit", "how many at most, 1 to 500; 50 without it")
    .of(|_| json_schema!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT }));
/// A status that several calls answer.
pub const UNREADABLE: (StatusCode, &str) = (StatusCode::BAD_REQUEST, "The request cannot be read.");
/// A status that several calls answer.
pub const UNFIT: (StatusCode, &str) = (StatusCode::UNPROCESSABLE_ENTITY, "The body does not have the shape it needs.");

/// A status that several calls answer.
pub const CONFLICT: (StatusCode, &str) = (StatusCode::CONFLICT, "It is so already, or cannot be; nothing changed.");

/// A method.
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

/// Whether something is decided by a call, and what has to come with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// Nothing is.
    Nothing,
    /// It can be sent with an `Idempotency-Key`.
    Something,
    /// And it has to name, in `If-Match`, the text that was seen.
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
    /// What it takes after the path.
    pub query: &'static [Parameter],
    /// What it takes as body.
    pub body: Option<Body>,
    /// What it answers.
    pub answer: fn(&mut SchemaGenerator) -> Schema,
    /// Errors of its own, beside those of every call.
    pub problems: &'static [(StatusCode, &'static str)],
    /// Whether something is decided by it.
    pub decides: Decides,
    /// Answers; may block.
    pub call: fn(&Services, &Asked) -> Result<Told, Problem>,
}
