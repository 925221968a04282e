//! The OpenAPI 3.1 document, built from the table of calls and their request and response types.

use super::idempotency;
use super::operation::{Decides, Operation, Verb};
use crate::paths::API;
use axum::http::StatusCode;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Errors of every call.
const PROBLEMS: &[(StatusCode, &str)] = &[
    (StatusCode::UNAUTHORIZED, "The token is missing or wrong."),
    (StatusCode::FORBIDDEN, "The request comes from a page of another origin."),
    (StatusCode::REQUEST_TIMEOUT, "The body did not arrive in time."),
    (StatusCode::PAYLOAD_TOO_LARGE, "The body is larger than http.max_body_bytes."),
    (StatusCode::MISDIRECTED_REQUEST, "`Host` names another host."),
    (StatusCode::TOO_MANY_REQUESTS, "Too many requests in a second; `Retry-After` says when to try again."),
    (StatusCode::INTERNAL_SERVER_ERROR, "An internal error, or a record in the store that cannot be read."),
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "The store or the index cannot be read now, or there are too many requests; try \
                                       again later.",
    ),
];

/// Returns the document of these calls, as JSON text.
pub fn document(operations: impl Iterator<Item = &'static Operation>) -> Vec<u8> {
    format!("{:#}\n", build(operations)).into_bytes()
}

fn build(operations: impl Iterator<Item = &'static Operation>) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.definitions_path = "/components/schemas".into();
        s.meta_schema = None;
    });
    let mut schemas = settings.into_generator();
    let mut paths = Map::new();
    let mut tags = BTreeSet::new();
    for operation in operations {
        tags.insert(tag(operation));
        let path = paths.entry(format!("{API}{}", operation.path)).or_insert_with(|| json!({}));
        let verb = match operation.verb {
            Verb::Get => "get",
            Verb::Post => "post",
        };
        path[verb] = describe(operation, &mut schemas);
    }
    let mut schemas = schemas.take_definitions(true);
    schemas.insert("Problem".to_owned(), problem());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "feedbackd",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "What was learned from feedback, what people decide about it, and the channels in addition to \
                        gate decisions.",
            "description": "Every call needs a token (see `docs/http-api.md`). Errors are problem documents (RFC \
                            9457); `detail` says what to do.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "This daemon." }],
        "security": [{ "token": [] }],
        "tags": tags.iter().map(|tag| json!({ "name": tag, "description": about(tag) })).collect::<Vec<_>>(),
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas,
        },
    })
}

fn describe(operation: &Operation, schemas: &mut SchemaGenerator) -> Value {
    let in_path = operation.path.split(['{', '}']).skip(1).step_by(2);
    let mut parameters: Vec<Value> = in_path
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    parameters.extend(operation.query.iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "in": "query",
            "required": parameter.required,
            "description": parameter.what,
            "schema": or_empty((parameter.takes)(schemas), parameter.required),
        })
    }));
    parameters.extend(headers(operation).iter().map(|(name, required, what)| {
        let schema = match *name {
            idempotency::NAME => {
                json!({ "type": "string", "minLength": 1, "maxLength": idempotency::MAX_CHARS, "pattern": idempotency::PATTERN })
            }
            _ => json!({ "type": "string" }),
        };
        json!({ "name": name, "in": "header", "required": required, "description": what, "schema": schema })
    }));
    let mut responses = Map::new();
    let answer = (operation.answer)(schemas);
    responses.insert(
        "200".into(),
        json!({ "description": "The answer.", "content": { "application/json": { "schema": answer } } }),
    );
    if operation.verb == Verb::Get {
        responses.insert("304".into(), json!({ "description": "Not changed since `If-None-Match`." }));
    }
    for (status, what) in operation.problems.iter().chain(PROBLEMS) {
        let schema = json!({ "$ref": "#/components/schemas/Problem" });
        let response = json!({ "description": what, "content": { "application/problem+json": { "schema": schema } } });
        responses.insert(status.as_str().to_owned(), response);
    }
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "description": way(operation),
        "tags": [tag(operation)],
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(body) = &operation.body {
        let schema = (body.schema)(schemas);
        let required = operation.decides == Decides::Nothing || asks(&schema, schemas);
        let content: Map<String, Value> =
            body.types.iter().map(|name| ((*name).to_owned(), json!({ "schema": schema.clone() }))).collect();
        described["requestBody"] = json!({ "required": required, "content": content });
    }
    described
}

/// Allows an optional parameter to be empty, as forms send it.
fn or_empty(schema: Schema, required: bool) -> Value {
    let schema = schema.to_value();
    if required || schema == json!({ "type": "string" }) {
        schema
    } else {
        json!({ "anyOf": [schema, { "const": "" }] })
    }
}

/// Reports whether a body has required fields, so that it cannot be omitted.
fn asks(schema: &Schema, schemas: &SchemaGenerator) -> bool {
    let named = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    let shape = named.map_or(Some(schema.as_value()), |name| schemas.definitions().get(name));
    shape.and_then(|shape| shape["required"].as_array()).is_some_and(|fields| !fields.is_empty())
}

/// Returns the tag of a call: the first part of its path.
fn tag(operation: &Operation) -> &'static str {
    operation.path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

/// Returns the description of a tag.
fn about(tag: &str) -> &'static str {
    match tag {
        "validate" => "Review documents.",
        "detect" => "Failure signals.",
        "refine" => "Prompts that led to failures.",
        "turns" => "Conversations, turn by turn.",
        "actions" => "What agents tried, and what to try next.",
        "proposals" => "Rules and the texts that people decide about.",
        "rules" => "Rules that are or were in force, and stopping them.",
        "groups" => "Clusters of comments that ask for the same.",
        "contradictions" => "Comments that contradict earlier ones.",
        "feedback" => "Feedback from people.",
        "dead-letters" => "Entries that could not be decoded.",
        "imports" => "Rules that are in force elsewhere.",
        "inbox" => "Items pending for people.",
        "roster" => "Who may decide.",
        "reviews" => "Outcomes of decisions.",
        _ => "The API itself.",
    }
}

/// Describes a call's effect on the store and the permission it needs.
fn way(operation: &Operation) -> &'static str {
    match (operation.verb, operation.decides) {
        (Verb::Get, _) => "Changes nothing. The response has an `ETag`, so that it need not be sent twice.",
        (Verb::Post, Decides::Nothing) => "Changes nothing: the response is computed from the request.",
        (Verb::Post, Decides::Something) => {
            "Goes to the review stream, as every decision does, and responds once it is recorded. The person who \
             decides must be on the roster and have a token with the scope `decide`."
        }
        (Verb::Post, Decides::AboutText) => {
            "Goes to the review stream, as every decision does, and responds once it is recorded. It names the text \
             that you saw. The person who decides must be on the roster and have a token with the scope `decide`."
        }
    }
}

/// Returns the headers of a call, whether they are required, and their descriptions.
fn headers(operation: &Operation) -> &'static [(&'static str, bool, &'static str)] {
    const KNOWN: (&str, bool, &str) = ("If-None-Match", false, "The `ETag` of a response that you already have.");
    const ONCE: (&str, bool, &str) = (
        idempotency::NAME,
        false,
        "If the call is sent again with the same key, it returns the same answer and does \
                                    nothing again.",
    );
    const SEEN: (&str, bool, &str) = (
        "If-Match",
        true,
        "The `ETag` of the proposal that you saw, or its `content_hash` in quotes: the text that you decide about.",
    );
    match (operation.verb, operation.decides) {
        (Verb::Get, _) => &[KNOWN],
        (Verb::Post, Decides::Nothing) => &[],
        (Verb::Post, Decides::Something) => &[ONCE],
        (Verb::Post, Decides::AboutText) => &[SEEN, ONCE],
    }
}

/// RFC 9457.
fn problem() -> Value {
    json!({
        "type": "object",
        "description": "A problem document (RFC 9457); `detail` says what to do.",
        "properties": {
            "type": { "type": "string", "const": "about:blank" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "detail": { "type": "string" },
            "instance": { "type": "string", "description": "The path of the call." },
            "errors": {
                "type": "array",
                "description": "Where the body is wrong.",
                "items": {
                    "type": "object",
                    "properties": {
                        "pointer": { "type": "string", "description": "A JSON pointer (RFC 6901) into the body." },
                        "detail": { "type": "string" },
                    },
                    "required": ["pointer", "detail"],
                },
            },
            "code": { "type": "string", "description": "For decisions only: why it was rejected." },
            "review_id": { "type": "string", "description": "For decisions only: the id under which the rejection is \
                                                             recorded." },
            "content_hash": { "type": "string", "description": "For 412 only: the hash of the current text." },
            "valid": { "type": "boolean", "description": "Of `validate` only: false." },
            "findings": {
                "type": "array",
                "description": "For `validate` only: what is wrong with the document.",
                "items": { "$ref": "#/components/schemas/Finding" },
            },
        },
        "required": ["type", "title", "status", "detail"],
    })
}
