//! `[refine]` and `[actions]`: how the channels other than gate decisions are answered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[refine]`: the refinement loop (specification, "Refinement").
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefineSection {
    /// Maximum iterations per task.
    pub max_refinement_iterations: u32,
    /// The prompt score, 0 to 10, that is good enough.
    pub stop_score: f64,
}

/// `[actions]`: feedback on failed actions (specification, "Actions").
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionsSection {
    /// Failed attempts after which people are asked.
    pub max_attempts: u32,
    /// Maximum number of suggestions.
    pub max_suggestions: usize,
}
