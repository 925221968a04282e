//! Where a record came from.

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
