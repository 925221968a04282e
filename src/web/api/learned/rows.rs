//! Builders for table rows that are mostly alike.

use crate::api::operation::{Body, CONFLICT, Decides, JSON, Operation, UNFIT, UNREADABLE, Verb};
use crate::api::request::{ApiRequest, Parameter};
use crate::api::response::{ApiResponse, refused, told};
use crate::api::submission::{SubmissionBody, With, decide};
use crate::app::decisions::submission::SubmissionOutcome;
use crate::app::queries::RuleFile;
use crate::problem::Problem;
use crate::services::Services;
use axum::http::StatusCode;
use schemars::{Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The end of the previous page.
pub const CURSOR: Parameter = Parameter::new("cursor", "`next` of the previous page; send the same other parameters");
/// The agent.
pub const AGENT: Parameter = Parameter::new("agent", "only items about this agent");

const MISSING: (StatusCode, &str) = (StatusCode::NOT_FOUND, "It does not exist.");
const LIST: &[(StatusCode, &str)] = &[UNREADABLE];
const ONE: &[(StatusCode, &str)] = &[UNREADABLE, MISSING];
/// Errors of a call that compares with an item or a text.
pub const COMPARED: &[(StatusCode, &str)] =
    &[UNREADABLE, MISSING, (StatusCode::UNPROCESSABLE_ENTITY, "The text has no word to compare.")];
const DECISION: &[(StatusCode, &str)] = &[UNREADABLE, UNFIT, CONFLICT, MISSING];
const ON_TEXT: &[(StatusCode, &str)] = &[
    UNREADABLE,
    UNFIT,
    CONFLICT,
    MISSING,
    (StatusCode::PRECONDITION_FAILED, "The text has changed; `content_hash` identifies the current one."),
    (StatusCode::PRECONDITION_REQUIRED, "`If-Match` is missing."),
];

type Shape = fn(&mut SchemaGenerator) -> Schema;
type Call = fn(&Services, &ApiRequest) -> Result<ApiResponse, Problem>;

/// Builds a list call.
pub const fn list(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    query: &'static [Parameter],
    answer: Shape,
    call: Call,
) -> Operation {
    Operation {
        verb: Verb::Get,
        path,
        id,
        summary,
        query,
        body: None,
        answer,
        problems: LIST,
        decides: Decides::Nothing,
        call,
    }
}

/// Builds a call for one item.
pub const fn one(path: &'static str, id: &'static str, summary: &'static str, answer: Shape, call: Call) -> Operation {
    Operation {
        verb: Verb::Get,
        path,
        id,
        summary,
        query: &[],
        body: None,
        answer,
        problems: ONE,
        decides: Decides::Nothing,
        call,
    }
}

/// Builds a decision call.
pub const fn decision(
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    schema: Shape,
    decides: Decides,
    call: Call,
) -> Operation {
    Operation {
        verb: Verb::Post,
        path,
        id,
        summary,
        query: &[],
        body: Some(Body { types: JSON, schema }),
        answer: |g| g.subschema_for::<SubmissionOutcome>(),
        problems: if matches!(decides, Decides::AboutText) { ON_TEXT } else { DECISION },
        decides,
        call,
    }
}

/// Submits the request as fields of the review stream.
///
/// # Errors
/// As [`decide`].
pub fn hand_in<T: DeserializeOwned>(
    services: &Services,
    asked: &ApiRequest,
    action: impl FnOnce(&T) -> Value,
) -> Result<ApiResponse, Problem> {
    let SubmissionBody { what, with }: SubmissionBody<T> = SubmissionBody::read(asked)?;
    told(&decide(services, asked, action(&what), with)?)
}

/// Submits the same with accompanying fields.
///
/// # Errors
/// As [`decide`].
pub fn hand_in_with(
    services: &Services,
    asked: &ApiRequest,
    action: Value,
    with: With,
) -> Result<ApiResponse, Problem> {
    told(&decide(services, asked, action, with)?)
}

/// Returns one proposal or rule.
///
/// # Errors
/// 404 if there is none.
pub fn found(services: &Services, id: &str) -> Result<RuleFile, Problem> {
    services.channels.ask(|c| c.queries.proposal_show(id)).map_err(refused)
}
