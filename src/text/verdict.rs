//! A person's decision at a gate, and its severity.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A human's verdict at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// Accepted unchanged.
    Approved,
    /// Sent back.
    Rejected,
    /// Accepted after changes by the reviewer.
    ApprovedWithChanges,
}

impl Verdict {
    /// Returns the specification's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Approved => "APPROVED",
            Verdict::Rejected => "REJECTED",
            Verdict::ApprovedWithChanges => "APPROVED_WITH_CHANGES",
        }
    }
}

/// How strongly the reviewer objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Cosmetic.
    Low,
    /// Should be fixed.
    Medium,
    /// Must be fixed.
    High,
}
