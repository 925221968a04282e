//! Where a record came from.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a record came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The stream's key; `replay` for events read from a file.
    pub stream: String,
    /// The entry's id; the line number for events read from a file.
    pub entry_id: String,
}

/// When an entry was added to its stream, from its id; 1970 where the id is not a stream's.
pub fn entry_time(entry_id: &str) -> Timestamp {
    let millis = entry_id.split_once('-').and_then(|(ms, _)| ms.parse().ok()).unwrap_or(0);
    Timestamp::from_millisecond(millis).unwrap_or_default()
}
