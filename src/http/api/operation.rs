//! What the table says of a call.

use super::asked::{Asked, Parameter};
use crate::http::problem::Problem;
use crate::http::services::Services;
use axum::http::StatusCode;
use schemars::{Schema, SchemaGenerator};

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
    /// Answers; may block.
    pub call: fn(&Services, &Asked) -> Result<Vec<u8>, Problem>,
}
