//! A dead letter as it is published.

use crate::intake::event::RejectCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A dead letter as it is published. The original fields stand beside the data, byte for byte, as `original:<name>`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLetterMessage {
    /// The stream's key.
    pub stream: String,
    /// The entry's id.
    pub entry_id: String,
    /// The kind of error.
    pub code: RejectCode,
    /// The field that is wrong, where one is.
    pub field: Option<String>,
    /// Which field is wrong, what was found, what was expected.
    pub message: String,
    /// How often the entry was delivered.
    pub delivery_count: u64,
    /// The original fields as text, shortened.
    pub fields: std::collections::BTreeMap<String, String>,
}
