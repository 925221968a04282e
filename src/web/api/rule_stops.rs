//! Stopping and resuming rules: out of every prompt and back (specification, "Rules"). As for all callers, the review
//! stream is the way in.

use super::request::{ApiRequest, unprocessable};
use super::submission::SOURCE;
use crate::app::decisions::submission::SubmissionOutcome;
use crate::problem::Problem;
use crate::services::Services;
use crate::submission;
use crate::submission::RequestIdentity;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The author and reason of a stop or resume.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The deciding approver of the roster. With a personal token it is the token's owner; only the program token must
    /// name one.
    pub reviewer_id: Option<String>,
    /// The reason, in words, for people who find the rule missing from a prompt.
    pub reason: String,
    /// The id of this decision: resending it has no further effect. Generated if absent.
    pub review_id: Option<String>,
    /// When it was decided, if signed.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    pub timestamp: Option<Timestamp>,
    /// An armored SSH signature of it with a key of the roster; required if `review.require_signatures` is set.
    pub signature: Option<String>,
}

/// `POST /rules/stop` and `POST /rules/{rule}/stop`.
pub fn stop(services: &Services, asked: &ApiRequest) -> Result<SubmissionOutcome, Problem> {
    decide(services, asked, "STOP")
}

/// `POST /rules/resume` and `POST /rules/{rule}/resume`.
pub fn resume(services: &Services, asked: &ApiRequest) -> Result<SubmissionOutcome, Problem> {
    decide(services, asked, "RESUME")
}

fn decide(services: &Services, asked: &ApiRequest, what: &str) -> Result<SubmissionOutcome, Problem> {
    let decision: Decision = asked.json()?;
    let mut action = json!({ "decision": what, "reason": decision.reason });
    match asked.part("rule") {
        "" => action["all"] = Value::Bool(true),
        rule => action["rule_id"] = Value::from(rule),
    }
    let own =
        RequestIdentity { review_id: decision.review_id, timestamp: decision.timestamp, signature: decision.signature };
    let who = match &asked.caller {
        Some(caller) => caller.decides(decision.reviewer_id.as_deref())?,
        None => decision.reviewer_id.as_deref().ok_or_else(|| {
            unprocessable(
                "`reviewer_id` is missing; send the id of the person who \
                                                             decides",
            )
        })?,
    };
    submission::decide(services, SOURCE, who, action, own)
}
