//! The sections about learning: how feedback is classified, and when rules are proposed.

use serde::{Deserialize, Serialize};

/// `[evaluator]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluatorConfig {
    /// Calibrated similarity from which two comments count as similar (specification, "Classification").
    pub similar_at: f64,
    /// Distinct reviewers that make a pattern; 1 is for a team of one (specification, "Classification").
    pub high_needs_reviewers: u32,
    /// The raw cosine at which a comment joins a cluster; 0 for the embedder's own.
    pub group_threshold: f64,
}

impl Default for EvaluatorConfig {
    fn default() -> Self {
        EvaluatorConfig { similar_at: 0.8, high_needs_reviewers: 2, group_threshold: 0.0 }
    }
}

/// `[proposals]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProposalsConfig {
    /// Confidence from which a proposal is made at once (specification, "Rules").
    pub immediate_at: f64,
    /// How often queued proposals are made, in minutes.
    pub batch_minutes: u64,
    /// Maximum number of queued proposals.
    pub batch_count: usize,
    /// The share of correct clusters, as implied by people's answers, below which new patterns need people.
    pub min_purity: f64,
    /// Calibrated similarity from which two rules count as the same.
    pub duplicate_at: f64,
    /// Calibrated similarity from which opposite rules count as a conflict.
    pub conflict_at: f64,
    /// Maximum open proposals per agent.
    pub max_open_per_agent: usize,
    /// How long a pattern is not proposed again after its proposal was rejected, in days.
    pub cool_down_days: u64,
}

impl Default for ProposalsConfig {
    fn default() -> Self {
        ProposalsConfig {
            immediate_at: 0.9,
            batch_minutes: 15,
            batch_count: 20,
            min_purity: 0.75,
            duplicate_at: 0.9,
            conflict_at: 0.8,
            max_open_per_agent: 200,
            cool_down_days: 90,
        }
    }
}
