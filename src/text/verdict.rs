//! What a person decided at a gate, and how much they mind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A human's verdict at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// Accepted as it is.
    Approved,
    /// Sent back.
    Rejected,
    /// Accepted after changes by the reviewer.
    ApprovedWithChanges,
}

impl Verdict {
    /// The specification's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Approved => "APPROVED",
            Verdict::Rejected => "REJECTED",
            Verdict::ApprovedWithChanges => "APPROVED_WITH_CHANGES",
        }
    }
}

/// How much the reviewer minds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Cosmetic.
    Low,
    /// Should be mended.
    Medium,
    /// Must be mended.
    High,
}
