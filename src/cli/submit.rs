//! Submitting what people and programs say about what was learned: one entry of the stream that the daemon reads.
//!
//! Nothing waits here for the daemon to take it up.

use super::exit::{CliError, Exit};
use crate::config::Config;
use crate::domain::record::Refusal;
use crate::wiring;
use serde::Serialize;

const STREAM: &str = "asdlc:events:meta_hitl_decisions";

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

/// Appends it.
///
/// # Errors
/// When Redis cannot be reached or refuses.
pub fn submit(config: &Config, payload: &serde_json::Value) -> Result<Submitted, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| CliError::new(Exit::Failure, format!("cannot start: {e}"), ""))?;
    let fields = [("data".to_owned(), payload.to_string())];
    runtime.block_on(wiring::append(config, STREAM, &fields))?;
    let id = payload.get("injection_id").and_then(|id| id.as_str()).unwrap_or("import").to_owned();
    Ok(Submitted { id, accepted: true, effect: "handed to the daemon".to_owned(), refusal: None })
}
