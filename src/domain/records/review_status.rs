//! A review's result.

use super::rule_status::ProposalStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Outcome of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewOutcome {
    /// It counts.
    Accepted,
    /// It changes nothing.
    Refused,
}

/// State of a proposal or rule after a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Standing")]
pub struct ReviewedStatus {
    /// The proposal, or the rule: the id is the same.
    pub proposal_id: String,
    /// The current version.
    pub version: u32,
    /// Its content hash, which the next approval has to name.
    pub content_hash: String,
    /// Its status.
    pub status: ProposalStatus,
    /// How many approvals of this version count.
    pub approvals: u32,
    /// The number needed.
    pub needed: u32,
}
