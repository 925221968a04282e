//! Submits a person's decision: to the daemon if one runs, else straight into the store. Approving, rejecting and
//! modifying proposals uses this path (specification, "Learning: Meta-HITL").
//!
//! Both paths use the same decoding and the same pipeline as a stream entry, so the command line can do nothing that
//! the stream cannot.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::sign;
use crate::app::decisions::submission;
use crate::app::decisions::submission::SubmitError;
use crate::app::pipeline::EntryOutcome;
use crate::app::queries::StoreError;
use crate::config::Config;
use crate::domain::records::record::{Refusal, RefusalCode};
use crate::wiring::{self, WiringError};
use serde_json::{Value, json};
use std::path::PathBuf;

pub use crate::app::decisions::submission::SubmissionOutcome;

/// The stream name in records that came from the command line.
const SOURCE: &str = "cli";

/// Who decides, and why.
#[derive(Debug, clap::Args)]
pub struct Reviewer {
    /// Who you are on the roster (reviewers.yaml)
    #[arg(long = "as", value_name = "ID", env = "FEEDBACKD_REVIEWER")]
    pub who: String,
    /// Why, in your words
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Sign with this SSH key, whose public half is on the roster; requires `ssh-keygen`
    #[arg(long, value_name = "KEY", env = "FEEDBACKD_SIGNING_KEY")]
    pub sign: Option<PathBuf>,
}

/// Submits a review and shows the outcome. `action` holds the fields named for it in specification, "Reviews".
pub fn review(config: &Config, by: &Reviewer, action: Value, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let submitted = submit(config, &payload(by, action, Some(config))?)?;
    match &submitted.refusal {
        Some(refusal) => Err(refused(&submitted.id, refusal)),
        None => {
            out.answer(&submitted, |_| format!("{}\nrecorded as {}", submitted.effect, submitted.id))?;
            Ok(Exit::Ok)
        }
    }
}

/// Converts the reason why a review was rejected to an error.
pub fn refused(id: &str, refusal: &Refusal) -> CliError {
    let hint = format!("recorded as {id}; nothing changed ({})", refusal.code.as_str());
    let exit = if refusal.code == RefusalCode::UnknownId { Exit::NotFound } else { Exit::Failure };
    CliError::new(exit, refusal.message.clone(), hint)
}

/// Builds the review for submission: `action` with its id, time and author, signed if requested. The configuration
/// names the store that the signature is for.
///
/// # Errors
/// If it cannot be signed.
pub fn payload(by: &Reviewer, action: Value, config: Option<&Config>) -> Result<Value, CliError> {
    let now = wiring::now();
    let mut payload = action;
    let unique = format!("{payload} {} {}", now.as_nanosecond(), std::process::id());
    payload["review_id"] = json!(submission::review_id(SOURCE, now, &unique));
    payload["reviewer_id"] = json!(by.who);
    payload["timestamp"] = json!(now.to_string());
    if let Some(reason) = &by.reason {
        payload["reason"] = json!(reason);
    }
    if let (Some(key), Some(config)) = (&by.sign, config) {
        payload["signature"] = json!(sign::sign(&payload, key, config)?);
    }
    Ok(payload)
}

/// Submits any payload that the review stream accepts.
///
/// # Errors
/// If neither the store nor the daemon can be reached, or the payload is invalid.
pub fn submit(config: &Config, payload: &Value) -> Result<SubmissionOutcome, CliError> {
    let now = wiring::now();
    let understood = submission::understood(SOURCE, payload, &wiring::decode_limits(config), now);
    let (entry, _) = understood.map_err(|rejection| CliError::from(SubmitError::Rejected(rejection)))?;
    match wiring::pipeline(config) {
        Ok(mut pipeline) => {
            let processed = pipeline.process(&[entry], now).map_err(WiringError::from)?;
            outcome(processed.outcomes.into_iter().next())
        }
        // The daemon holds the store: ask it.
        Err(WiringError::Store(StoreError::Locked { .. })) => {
            Ok(wiring::submitting(config)?.submit(SOURCE, payload, now)?)
        }
        Err(error) => Err(error.into()),
    }
}

fn outcome(outcome: Option<EntryOutcome>) -> Result<SubmissionOutcome, CliError> {
    let submitted = |id, effect: String, refusal: Option<Refusal>| {
        Ok(SubmissionOutcome { id, accepted: refusal.is_none(), effect, refusal })
    };
    match outcome {
        Some(EntryOutcome::Submitted { id, effect }) => submitted(id, effect, None),
        Some(EntryOutcome::Duplicate(id)) => submitted(id, "already known; nothing changed".to_owned(), None),
        Some(EntryOutcome::Refused { id, refusal }) => submitted(id, String::new(), Some(refusal)),
        Some(EntryOutcome::Rejected(rejection)) => Err(CliError::new(Exit::Usage, rejection.message, "")),
        other => Err(CliError::new(Exit::Failure, format!("it had no effect ({other:?})"), "")),
    }
}

impl From<SubmitError> for CliError {
    fn from(error: SubmitError) -> CliError {
        let message = error.to_string();
        match error {
            SubmitError::Rejected(_) | SubmitError::Taken(_) => {
                CliError::new(Exit::Usage, message, "nothing was submitted")
            }
            SubmitError::Waiting { .. } => {
                CliError::new(Exit::Unavailable, message, "check the daemon with `feedbackd doctor`")
            }
            SubmitError::Bus(error) => WiringError::from(error).into(),
            SubmitError::Store(error) => error.into(),
        }
    }
}
