//! Submits the outcome of an agent's action to the daemon through the stream of actions, like publishers
//! (specification, "Actions").

use crate::decisions::submission::{Append, as_entry, review_id};
use crate::domain::intake::decode::{DecodeLimits, Decoded, decode};
use crate::domain::intake::event::{Rejection, StreamKind};
use crate::ports::BusError;
use jiff::Timestamp;
use serde_json::Value;
use thiserror::Error;

/// Submits outcomes to the daemon.
pub struct Outcomes {
    /// Limits and the tenant for decoding.
    pub limits: DecodeLimits,
    /// Appends to the daemon's stream.
    pub append: Append,
}

/// Why an outcome was not submitted.
#[derive(Debug, Error)]
pub enum OutcomeError {
    /// It cannot be decoded; nothing was submitted.
    #[error("{}", .0.message)]
    Rejected(Rejection),
    /// The stream cannot be reached.
    #[error(transparent)]
    Bus(#[from] BusError),
}

impl Outcomes {
    /// Appends an outcome to the stream that the daemon reads, adding an id and the time if missing. Returns its id.
    ///
    /// # Errors
    /// If it cannot be decoded, or the stream cannot be reached.
    pub fn report(&self, mut event: Value, now: Timestamp) -> Result<String, OutcomeError> {
        if event["timestamp"].is_null() {
            event["timestamp"] = Value::from(now.to_string());
        }
        if event["action_id"].is_null() {
            let unique = format!("{event} {}", now.as_nanosecond());
            event["action_id"] = Value::from(review_id("act", now, &unique));
        }
        if let Decoded::Rejected(rejection) =
            decode(&as_entry(StreamKind::ActionResults, "", &event, now), &self.limits, now)
        {
            return Err(OutcomeError::Rejected(rejection));
        }
        (self.append)(&event)?;
        Ok(event["action_id"].as_str().unwrap_or_default().to_owned())
    }
}
