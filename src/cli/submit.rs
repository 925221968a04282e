//! Submitting what a person decided: to the daemon where one runs, else straight into the store. Whoever approves, rejects
//! or modifies a proposal comes this way (specification, "Learning: Meta-HITL").
//!
//! Both ways lead through the same decoding and the same pipeline as an entry of the stream, so that the command line
//! can do nothing that the stream cannot.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::sign;
use crate::app::pipeline::EntryOutcome;
use crate::app::queries::StoreError;
use crate::config::Config;
use crate::domain::ids::short_hash;
use crate::domain::intake::decode::Decoded;
use crate::domain::intake::decode::decode;
use crate::domain::intake::event::{RawEntry, StreamKind};
use crate::domain::records::layout;
use crate::domain::records::record::{Refusal, RefusalCode, ReviewRecord};
use crate::domain::yaml;
use crate::wiring::{self, WiringError};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the daemon may take to record a review.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often that is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The stream named in records of what came from the command line.
const SOURCE: &str = "cli";

/// What became of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Submitted {
    /// Its id.
    pub id: String,
    /// Whether it was recorded, and counts.
    pub accepted: bool,
    /// What followed, in words.
    pub effect: String,
    /// Why it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

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
    payload["review_id"] = json!(format!("cli-{}-{}", now.strftime("%Y%m%dT%H%M%SZ"), short_hash(&[&unique])));
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
    let entry = RawEntry {
        stream: SOURCE.to_owned(),
        kind: StreamKind::MetaHitl,
        id: format!("{}-0", now.as_millisecond()),
        fields: vec![("data".to_owned(), payload.to_string().into_bytes())],
        gate_request: None,
        oversize: None,
    };
    // What the daemon could not understand would be a dead letter, and nobody would hear of it here.
    if let Decoded::Rejected(rejection) = decode(&entry, &wiring::decode_limits(config)) {
        return Err(CliError::new(Exit::Usage, rejection.message, "nothing was submitted"));
    }
    match wiring::pipeline(config) {
        Ok(mut pipeline) => {
            let processed = pipeline.process(&[entry], now).map_err(WiringError::from)?;
            outcome(processed.outcomes.into_iter().next())
        }
        // The daemon has the store: it is asked.
        Err(WiringError::Store(StoreError::Locked { .. })) => ask(config, payload),
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

/// Appends to the stream the daemon reads, and waits until the store says what became of it.
fn ask(config: &Config, payload: &Value) -> Result<Submitted, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| CliError::new(Exit::Failure, format!("cannot start: {e}"), ""))?;
    let fields = vec![("data".to_owned(), payload.to_string())];
    runtime.block_on(wiring::append(config, &config.redis.review_stream, &fields))?;
    let text = |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
    let (Some(id), Some(at)) = (text("review_id"), text("timestamp").and_then(|t| t.parse::<Timestamp>().ok())) else {
        let id = text("injection_id").unwrap_or_else(|| "import".to_owned());
        return Ok(Submitted { id, accepted: true, effect: "handed to the daemon".to_owned(), refusal: None });
    };
    let path = layout::review(at, &id);
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(text) = wiring::read_file(config, &path)?
            && let Ok(record) = yaml::parse::<ReviewRecord>(&text)
        {
            let effect = record.effect.unwrap_or_default();
            return Ok(Submitted { id, accepted: record.refusal.is_none(), effect, refusal: record.refusal });
        }
        if Instant::now() > deadline {
            return Err(CliError::new(
                Exit::Unavailable,
                format!("the daemon has not recorded {id} within {} s", PATIENCE.as_secs()),
                "it stays in the stream and is taken up later; `feedbackd doctor` says how the daemon does",
            ));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}
