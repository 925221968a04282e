//! The sections about patterns: how feedback is classified, and when rules are proposed from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[evaluator]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluatorConfig {
    /// Calibrated similarity from which two comments count as similar (specification, "Classification").
    pub similar_threshold: f64,
    /// Distinct reviewers that make a pattern; 1 is for a team of one (specification, "Classification").
    pub min_reviewers: u32,
    /// The raw cosine at which a comment joins a cluster; 0 for the embedder's own.
    pub group_threshold: f64,
}

/// `[proposals]`
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalsConfig {
    /// Confidence from which a proposal is made at once (specification, "Rules").
    pub immediate_threshold: f64,
    /// How often queued proposals are made, in minutes.
    pub batch_minutes: u64,
    /// Maximum number of queued proposals.
    pub batch_count: usize,
    /// The share of correct clusters, as implied by people's answers, below which new patterns need people.
    pub min_purity: f64,
    /// Calibrated similarity from which two rules count as the same.
    pub duplicate_threshold: f64,
    /// Calibrated similarity from which opposite rules count as a conflict.
    pub conflict_threshold: f64,
    /// Maximum open proposals per agent.
    pub max_open_per_agent: usize,
    /// How long a pattern is not proposed again after its proposal was rejected, in days.
    pub cool_down_days: u64,
}
