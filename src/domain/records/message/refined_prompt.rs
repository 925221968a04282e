//! A published refined prompt.

use crate::channels::refine::StopReason;
use crate::channels::signal::Signal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A published refined prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefinedPrompt {
    /// The request.
    pub refinement_id: String,
    /// The agent.
    pub agent: Option<String>,
    /// The agent session.
    pub session_id: Option<String>,
    /// The task.
    pub task_id: Option<String>,
    /// The prompt to try next; the original if nothing signals a failure.
    pub refined_prompt: String,
    /// What the feedback signals: kind, confidence, facts and cues.
    pub signal: Option<Signal>,
    /// What was added, in order.
    pub actions_applied: Vec<String>,
    /// How many iterations were made.
    pub iterations: usize,
    /// The refined prompt's score, 0 to 10.
    pub score: f64,
    /// Why the refinement ended.
    pub stopped: StopReason,
    /// The record in the store.
    pub record: String,
}
