//! The origin of a record.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The origin of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The stream's key; `replay` for events read from a file.
    pub stream: String,
    /// The entry's id; the line number for events read from a file.
    pub entry_id: String,
}

/// Returns when an entry was added to its stream, from its id; 1970 if the id is not a stream id.
pub fn entry_time(entry_id: &str) -> Timestamp {
    let millis = entry_id.split_once('-').and_then(|(ms, _)| ms.parse().ok()).unwrap_or(0);
    Timestamp::from_millisecond(millis).unwrap_or_default()
}
