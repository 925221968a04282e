//! A parsed request. Unreadable input is a problem that states what would be accepted.

use crate::auth::Caller;
use crate::problem::Problem;
use axum::body::Bytes;
use axum::http::StatusCode;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// Default number of listed items.
const LIMIT: usize = 50;
/// Maximum number of listed items.
pub const MAX_LIMIT: usize = 500;

/// A query parameter.
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub what: &'static str,
    /// Whether it is required.
    pub required: bool,
    /// The values it accepts.
    pub takes: fn(&mut SchemaGenerator) -> Schema,
}

impl Parameter {
    /// Creates an optional parameter that accepts any text.
    pub const fn new(name: &'static str, what: &'static str) -> Parameter {
        Parameter { name, what, required: false, takes: |_| json_schema!({ "type": "string" }) }
    }

    /// Makes it required and not blank.
    pub const fn needed(self) -> Parameter {
        Parameter { required: true, takes: |_| json_schema!({ "type": "string", "pattern": "\\S" }), ..self }
    }

    /// Restricts it to these values.
    pub const fn of(self, takes: fn(&mut SchemaGenerator) -> Schema) -> Parameter {
        Parameter { takes, ..self }
    }
}

/// A caller's request.
#[derive(Default)]
pub struct ApiRequest {
    /// The path parameters.
    pub path: BTreeMap<String, String>,
    /// The query parameters; only known ones, none of them empty.
    pub query: BTreeMap<String, String>,
    /// The body.
    pub body: Bytes,
    /// The caller; none if a program uses the token of `http.api_token_file`.
    pub caller: Option<Caller>,
    /// `If-Match`, if present.
    pub if_match: Option<String>,
}

impl ApiRequest {
    /// Parses the body as JSON of this shape.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        json(&self.body)
    }

    /// Returns the body as text.
    pub fn text(&self) -> Result<&str, Problem> {
        std::str::from_utf8(&self.body).map_err(|_| bad("the body is not UTF-8 text"))
    }

    /// Returns a path parameter.
    pub fn part(&self, name: &str) -> &str {
        self.path.get(name).map_or("", String::as_str)
    }

    /// Returns a query parameter.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }

    /// Parses a query parameter as one of a type's words.
    pub fn word<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Problem> {
        let Some(word) = self.option(name) else { return Ok(None) };
        let read = serde_json::from_value(Value::String(word.to_owned()));
        read.map(Some).map_err(|error| bad(format!("`{name}`: {error}")))
    }

    /// Returns the requested number of items.
    pub fn limit(&self) -> Result<usize, Problem> {
        let Some(text) = self.option("limit") else { return Ok(LIMIT) };
        let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
        limit.ok_or_else(|| bad(format!("`limit` must be a number from 1 to {MAX_LIMIT}")))
    }
}

/// Parses the query parameters. Unknown ones are rejected: they may be misspelled.
pub fn query(text: &str, known: &[Parameter]) -> Result<BTreeMap<String, String>, Problem> {
    let mut query = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        if !known.iter().any(|parameter| parameter.name == name) {
            let names: Vec<&str> = known.iter().map(|parameter| parameter.name).collect();
            let known = if names.is_empty() { "none is".to_owned() } else { format!("known: {}", names.join(", ")) };
            return Err(bad(format!("the parameter `{name}` is not known here; {known}")));
        }
        if !value.trim().is_empty() && query.insert(name.clone().into_owned(), value.into_owned()).is_some() {
            return Err(bad(format!("the parameter `{name}` is given twice; send it once")));
        }
    }
    let missing = known.iter().find(|parameter| parameter.required && !query.contains_key(parameter.name));
    match missing {
        Some(parameter) => Err(bad(format!("the parameter `{}` is missing: {}", parameter.name, parameter.what))),
        None => Ok(query),
    }
}

/// Parses a body as JSON of this shape.
pub fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => unprocessable(format!("the body has the wrong shape: {error}")),
        _ => bad(format!("the body is not JSON: {error}")),
    })
}

/// 400: the request is malformed.
pub fn bad(detail: impl Into<String>) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, detail)
}

/// 422: the request is well-formed but invalid.
pub fn unprocessable(detail: impl Into<String>) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
}
