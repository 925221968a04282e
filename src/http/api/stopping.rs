//! Stopping rules and resuming them: out of every prompt and back (specification, "Rules"). The review stream is
//! the way in, as for everybody.

use super::asked::{Asked, unprocessable};
use super::operation::Services;
use crate::app::submitting::{SubmitError, Submitted, review_id};
use crate::domain::records::record::{Refusal, RefusalCode};
use crate::http::problem::Problem;
use axum::http::StatusCode;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Where the records of what came this way say that it came from.
const SOURCE: &str = "http";

/// Who stops or resumes, and why.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Who decides: an approver of the roster.
    pub reviewer_id: String,
    /// Why, in words: whoever finds the rule missing from a prompt reads it.
    pub reason: String,
    /// The id of this decision: sent again, it is the same decision. Made up where it is not there.
    pub review_id: Option<String>,
    /// When it was decided, where that is signed.
    #[schemars(with = "Option<String>")]
    pub timestamp: Option<Timestamp>,
    /// An SSH signature of it with a key of the roster, armored; required where `review.require_signatures` is set.
    pub signature: Option<String>,
}

/// `POST /rules/stop` and `POST /rules/{rule}/stop`.
pub fn stop(services: &Services, asked: &Asked) -> Result<Submitted, Problem> {
    decide(services, asked, "STOP")
}

/// `POST /rules/resume` and `POST /rules/{rule}/resume`.
pub fn resume(services: &Services, asked: &Asked) -> Result<Submitted, Problem> {
    decide(services, asked, "RESUME")
}

fn decide(services: &Services, asked: &Asked, what: &str) -> Result<Submitted, Problem> {
    let decision: Decision = asked.json()?;
    if decision.review_id.is_some() != decision.timestamp.is_some() {
        return Err(unprocessable("`review_id` and `timestamp` belong together: send both or neither"));
    }
    let now = services.channels.clock.now();
    let unique = format!("{what} {decision:?} {}", now.as_nanosecond());
    let mut payload = json!({
        "decision": what,
        "review_id": decision.review_id.unwrap_or_else(|| review_id(SOURCE, now, &unique)),
        "reviewer_id": decision.reviewer_id,
        "reason": decision.reason,
        "timestamp": decision.timestamp.unwrap_or(now).to_string(),
    });
    match asked.part("rule") {
        "" => payload["all"] = Value::Bool(true),
        rule => payload["rule_id"] = Value::from(rule),
    }
    if let Some(signature) = decision.signature {
        payload["signature"] = Value::String(signature);
    }
    let submitted = services.reviews.submit(SOURCE, &payload, now).map_err(failed)?;
    match &submitted.refusal {
        Some(refusal) => Err(refused(refusal).with("review_id", submitted.id.as_str())),
        None => Ok(submitted),
    }
}

fn refused(refusal: &Refusal) -> Problem {
    let status = match refusal.code {
        RefusalCode::NotAnApprover | RefusalCode::BadSignature => StatusCode::FORBIDDEN,
        RefusalCode::UnknownId => StatusCode::NOT_FOUND,
        RefusalCode::AlreadyApproved
        | RefusalCode::AlreadyDecided
        | RefusalCode::Expired
        | RefusalCode::NotInForce
        | RefusalCode::Impossible => StatusCode::CONFLICT,
        RefusalCode::WrongContentHash
        | RefusalCode::ReasonMissing
        | RefusalCode::VagueText
        | RefusalCode::Restatement => StatusCode::UNPROCESSABLE_ENTITY,
    };
    Problem::new(status, refusal.message.clone()).with("code", refusal.code.as_str())
}

fn failed(error: SubmitError) -> Problem {
    let status = match &error {
        SubmitError::Rejected(_) => StatusCode::UNPROCESSABLE_ENTITY,
        SubmitError::Taken(_) => StatusCode::CONFLICT,
        SubmitError::Bus(_) | SubmitError::Store(_) | SubmitError::Waiting { .. } => StatusCode::SERVICE_UNAVAILABLE,
    };
    Problem::new(status, error.to_string())
}
