//! A submitted decision: its content, and the fields common to every decision.

use super::request::{ApiRequest, unprocessable};
use crate::app::decisions::submission::SubmissionOutcome;
use crate::auth::Caller;
use crate::problem::Problem;
use crate::services::Services;
use crate::submission;
use crate::submission::RequestIdentity;
use axum::http::StatusCode;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The source stated in records of these submissions.
pub const SOURCE: &str = "http";
/// The fields common to every decision.
const WITH: [&str; 5] = ["reason", "reviewer_id", "review_id", "timestamp", "signature"];

/// The fields common to every decision. All are optional, except a reason if the decision needs one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct With {
    /// The reason, in words.
    pub reason: Option<String>,
    /// The reviewer, if named: must be the token's owner.
    pub reviewer_id: Option<String>,
    /// The id of this decision: resending it has no further effect. Generated if absent.
    pub review_id: Option<String>,
    /// When it was decided, if signed.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub timestamp: Option<Timestamp>,
    /// An armored SSH signature of it with a key of the roster; required if `review.require_signatures` is set.
    pub signature: Option<String>,
}

/// A decision with its common fields.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SubmissionBody<T> {
    /// The decision.
    #[schemars(flatten)]
    pub what: T,
    /// The common fields.
    #[schemars(flatten)]
    pub with: With,
}

/// Only the common fields.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

impl<T: DeserializeOwned> SubmissionBody<T> {
    /// Parses the decision in a body. An empty body adds nothing to the path.
    ///
    /// # Errors
    /// 400 if it is not JSON, 422 if it does not fit.
    pub fn read(asked: &ApiRequest) -> Result<SubmissionBody<T>, Problem> {
        let mut what: Map<String, Value> = if asked.body.is_empty() { Map::new() } else { asked.json()? };
        let with = WITH.iter().filter_map(|name| what.remove_entry(*name)).collect();
        let unfit = |error: serde_json::Error| unprocessable(format!("the body has the wrong shape: {error}"));
        Ok(SubmissionBody {
            what: serde_json::from_value(Value::Object(what)).map_err(unfit)?,
            with: serde_json::from_value(Value::Object(with)).map_err(unfit)?,
        })
    }
}

/// Returns the calling person. All decisions are made by people.
///
/// # Errors
/// 403 if a program calls.
pub fn person(asked: &ApiRequest) -> Result<&Caller, Problem> {
    asked.caller.as_ref().ok_or_else(|| {
        let detail = "the token of http.api_token_file belongs to no person, and this call needs one; use the token \
                      of the person who decides (`feedbackd token create`)";
        Problem::new(StatusCode::FORBIDDEN, detail)
    })
}

/// Submits a person's decision.
///
/// # Errors
/// As [`submission::decide`], and 403 where they may not.
pub fn decide(
    services: &Services,
    asked: &ApiRequest,
    mut action: Value,
    with: With,
) -> Result<SubmissionOutcome, Problem> {
    let who = person(asked)?.decides(with.reviewer_id.as_deref())?;
    if let Some(reason) = with.reason {
        action["reason"] = Value::String(reason);
    }
    let own = RequestIdentity { review_id: with.review_id, timestamp: with.timestamp, signature: with.signature };
    submission::decide(services, SOURCE, who, action, own)
}
