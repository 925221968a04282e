//! Dead letters as they lie on the bus, whole, and the way of one back to its stream.

use super::bus::BusError;
use crate::domain::intake::event::{GateRequest, StreamKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fields of an entry, in their order.
pub type EntryFields = Vec<(String, String)>;

/// That a dead letter was sent again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SentAgain {
    /// Who did it: an id of the roster, or nothing that is known.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// The id of the entry that it is now.
    pub entry_id: String,
}

/// Dead letters as they lie on the bus. Each call may block.
pub trait Letters: Send + Sync {
    /// The fields of the dead letter with this idempotency key; nothing where it is gone.
    ///
    /// # Errors
    /// When the bus cannot be asked.
    fn find(&self, key: &str) -> Result<Option<EntryFields>, BusError>;

    /// What an entry's event answers, where it answers something.
    ///
    /// # Errors
    /// When the bus cannot be asked.
    fn gate_request(&self, kind: StreamKind, fields: &[(String, Vec<u8>)]) -> Result<Option<GateRequest>, BusError>;

    /// Of each of these keys, that its letter was sent again.
    ///
    /// # Errors
    /// When the bus cannot be asked.
    fn sent(&self, keys: &[String]) -> Result<Vec<Option<SentAgain>>, BusError>;

    /// In one step: if the letter with this key was not sent again yet, adds an entry to the stream (its whole key) and
    /// notes that. Returns the note with the entry's id, or, as the inner error, the one that was there.
    ///
    /// # Errors
    /// When the bus cannot be asked or does not take it; nothing was added then.
    fn send_once(
        &self,
        key: &str,
        stream: &str,
        fields: &[(String, String)],
        note: &SentAgain,
    ) -> Result<Result<SentAgain, SentAgain>, BusError>;
}
