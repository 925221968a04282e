//! A published dead letter.

use crate::intake::event::RejectCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A published dead letter. The original fields accompany the data, byte for byte, as `original:<name>`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLetterMessage {
    /// The stream's key.
    pub stream: String,
    /// The entry's id.
    pub entry_id: String,
    /// The kind of error.
    pub code: RejectCode,
    /// The invalid field, if any.
    pub field: Option<String>,
    /// Which field is invalid, what was found, what was expected.
    pub message: String,
    /// How often the entry was delivered.
    pub delivery_count: u64,
    /// The original fields as text, shortened.
    pub fields: std::collections::BTreeMap<String, String>,
}
