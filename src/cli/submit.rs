//! Submitting what people and programs say about what was learned: one entry of the stream that the daemon reads.
//!
//! Nothing waits here for the daemon to take it up.

use super::exit::{CliError, Exit};
use crate::config::Config;
use crate::wiring;

const STREAM: &str = "asdlc:events:meta_hitl_decisions";

/// What was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted;

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
    Ok(Submitted)
}
