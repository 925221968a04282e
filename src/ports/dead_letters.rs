//! Complete dead letters on the bus, and their return to their streams.

use super::bus::BusError;
use crate::domain::intake::event::{GateRequest, StreamKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fields of an entry, in order.
pub type EntryFields = Vec<(String, String)>;

/// A note that a dead letter was resent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SentAgain {
    /// Who resent it: a roster id, or empty if unknown.
    pub by: String,
    /// The time.
    pub at: Timestamp,
    /// The id of the new entry.
    pub entry_id: String,
}

/// Dead letters on the bus. Each call may block.
pub trait DeadLetters: Send + Sync {
    /// Returns the fields of the dead letter with this idempotency key; `None` if it is gone.
    ///
    /// # Errors
    /// If the bus cannot be queried.
    fn find(&self, key: &str) -> Result<Option<EntryFields>, BusError>;

    /// Returns the request that an entry's event answers, if any.
    ///
    /// # Errors
    /// If the bus cannot be queried.
    fn gate_request(&self, kind: StreamKind, fields: &[(String, Vec<u8>)]) -> Result<Option<GateRequest>, BusError>;

    /// Returns for each key whether its letter was resent.
    ///
    /// # Errors
    /// If the bus cannot be queried.
    fn sent(&self, keys: &[String]) -> Result<Vec<Option<SentAgain>>, BusError>;

    /// Atomically: if the letter with this key was not resent yet, adds an entry to the stream (its whole key) and
    /// records it. Returns the note with the entry's id, or, as the inner error, the existing one.
    ///
    /// # Errors
    /// If the bus cannot be queried or rejects it; nothing was added then.
    fn send_once(
        &self,
        key: &str,
        stream: &str,
        fields: &[(String, String)],
        note: &SentAgain,
    ) -> Result<Result<SentAgain, SentAgain>, BusError>;
}
