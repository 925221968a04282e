//! Submitting what a person decided: to the daemon where one runs, else straight into the store. Whoever approves, rejects
//! or modifies a proposal comes this way (specification, "Learning: Meta-HITL").
//!
//! Both ways lead through the same decoding and the same pipeline as an entry of the stream, so that the command line
//! can do nothing that the stream cannot.

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

pub use crate::app::decisions::submission::Submitted;

/// The stream named in records of what came from the command line.
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
    /// Sign with this SSH key, whose public half stands on the roster; takes `ssh-keygen`
    #[arg(long, value_name = "KEY", env = "FEEDBACKD_SIGNING_KEY")]
    pub sign: Option<PathBuf>,
}

/// Submits a review and shows what became of it. `action` holds the fields that specification, "Reviews" names for it.
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

/// Why a review changed nothing, as an error.
pub fn refused(id: &str, refusal: &Refusal) -> CliError {
    let hint = format!("recorded as {id}; nothing changed ({})", refusal.code.as_str());
    let exit = if refusal.code == RefusalCode::UnknownId { Exit::NotFound } else { Exit::Failure };
    CliError::new(exit, refusal.message.clone(), hint)
}

/// The review as it is submitted: `action` with its id, its time, and who says so, signed where that is asked for. The
/// configuration names the store that is signed for.
///
/// # Errors
/// When it cannot be signed.
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

/// Submits anything the review stream takes.
///
/// # Errors
/// When neither the store nor the daemon can be reached, or the payload is not understood.
pub fn submit(config: &Config, payload: &Value) -> Result<Submitted, CliError> {
    let now = wiring::now();
    let understood = submission::understood(SOURCE, payload, &wiring::decode_limits(config), now);
    let (entry, _) = understood.map_err(|rejection| CliError::from(SubmitError::Rejected(rejection)))?;
    match wiring::pipeline(config) {
        Ok(mut pipeline) => {
            let processed = pipeline.process(&[entry], now).map_err(WiringError::from)?;
            outcome(processed.outcomes.into_iter().next())
        }
        // The daemon has the store: it is asked.
        Err(WiringError::Store(StoreError::Locked { .. })) => {
            Ok(wiring::submitting(config)?.submit(SOURCE, payload, now)?)
        }
        Err(error) => Err(error.into()),
    }
}

fn outcome(outcome: Option<EntryOutcome>) -> Result<Submitted, CliError> {
    let submitted = |id, effect: String, refusal: Option<Refusal>| {
        Ok(Submitted { id, accepted: refusal.is_none(), effect, refusal })
    };
    match outcome {
        Some(EntryOutcome::Submitted { id, effect }) => submitted(id, effect, None),
        Some(EntryOutcome::Duplicate(id)) => submitted(id, "known before; nothing changed".to_owned(), None),
        Some(EntryOutcome::Refused { id, refusal }) => submitted(id, String::new(), Some(refusal)),
        Some(EntryOutcome::Rejected(rejection)) => Err(CliError::new(Exit::Usage, rejection.message, "")),
        other => Err(CliError::new(Exit::Failure, format!("nothing came of it ({other:?})"), "")),
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
                CliError::new(Exit::Unavailable, message, "`feedbackd doctor` says how the daemon does")
            }
            SubmitError::Bus(error) => WiringError::from(error).into(),
            SubmitError::Store(error) => error.into(),
        }
    }
}
