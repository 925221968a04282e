//! What a review came to.

use super::rule_status::ProposalStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewOutcome {
    /// It counts.
    Accepted,
    /// It changes nothing.
    Refused,
}

/// How a proposal or a rule stood after a review of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// The proposal, or the rule: the id is the same.
    pub proposal_id: String,
    /// The version that stands.
    pub version: u32,
    /// Its content hash: what the next approval has to name.
    pub content_hash: String,
    /// Where it is in its life.
    pub status: ProposalStatus,
    /// How many approvals of this version count.
    pub approvals: u32,
    /// How many are needed.
    pub needed: u32,
}
