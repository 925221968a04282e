//! Submission of decisions. The review stream is the only way in (specification, "Reviews"): all decisions over HTTP go
//! through here.

use super::problem::Problem;
use super::services::Services;
use crate::app::decisions::submission::{SubmissionOutcome, SubmitError, review_id};
use crate::domain::records::record::{Refusal, RefusalCode};
use axum::http::StatusCode;
use jiff::Timestamp;
use serde_json::Value;

/// What identifies a repeated decision, and what is signed with it.
#[derive(Clone, Debug, Default)]
pub struct RequestIdentity {
    /// Its id; generated if absent.
    pub review_id: Option<String>,
    /// When it was decided; now if absent.
    pub timestamp: Option<Timestamp>,
    /// An armored SSH signature of it. It covers id and time, so both are required.
    pub signature: Option<String>,
}

/// Submits a decision by `who` and waits until it is recorded. `action` holds its fields as named by the specification,
/// "Reviews", including the reason; `source` is the origin stated in records.
///
/// # Errors
/// If it is rejected, cannot be decoded, or is not recorded in time.
pub fn decide(
    services: &Services,
    source: &str,
    who: &str,
    action: Value,
    own: RequestIdentity,
) -> Result<SubmissionOutcome, Problem> {
    let now = services.channels.clock.now();
    let action = complete(source, who, action, own, now)?;
    let submitted = services.reviews.submit(source, &action, now).map_err(failed)?;
    match &submitted.refusal {
        Some(refusal) => Err(refused(refusal).with("review_id", submitted.id.as_str())),
        None => Ok(submitted),
    }
}

/// Submits a decision by `who` without waiting: the daemon records it when it processes it, now or after a restart.
///
/// # Errors
/// If the stream cannot be reached.
pub fn leave(services: &Services, source: &str, who: &str, action: Value) -> Result<(), Problem> {
    let action = complete(source, who, action, RequestIdentity::default(), services.channels.clock.now())?;
    (services.reviews.append)(&action).map_err(|error| failed(error.into()))
}

/// Submits a payload that is not a person's decision, unchanged.
///
/// # Errors
/// If it cannot be decoded, or the stream cannot be reached.
pub fn hand_over(services: &Services, source: &str, payload: &Value) -> Result<SubmissionOutcome, Problem> {
    services.reviews.submit(source, payload, services.channels.clock.now()).map_err(failed)
}

/// Completes a decision with its id, time and author.
///
/// # Errors
/// 422 if its own fields do not fit together.
pub fn complete(
    source: &str,
    who: &str,
    mut action: Value,
    own: RequestIdentity,
    now: Timestamp,
) -> Result<Value, Problem> {
    if own.review_id.is_some() != own.timestamp.is_some() {
        return Err(unprocessable("`review_id` and `timestamp` belong together: send both or neither"));
    }
    if own.signature.is_some() && own.review_id.is_none() {
        return Err(unprocessable("a `signature` covers `review_id` and `timestamp`: send both with it"));
    }
    let unique = format!("{who} {action} {}", now.as_nanosecond());
    action["review_id"] = Value::String(own.review_id.unwrap_or_else(|| review_id(source, now, &unique)));
    action["reviewer_id"] = Value::from(who);
    action["timestamp"] = Value::String(own.timestamp.unwrap_or(now).to_string());
    if let Some(signature) = own.signature {
        action["signature"] = Value::String(signature);
    }
    Ok(action)
}

fn unprocessable(detail: &str) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
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
