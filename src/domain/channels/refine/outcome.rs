//! The result of a refinement, and the log of its iterations.

use super::actions::ActionKind;
use super::analysis::Analysis;
use crate::channels::signal::{Signal, SignalKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One logged iteration: exactly the fields of specification, "Refinement: The log".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogEntry {
    /// When the feedback was handled.
    pub timestamp: Timestamp,
    /// The prompt before this iteration, at most 20,000 characters.
    pub original_prompt: String,
    /// What the feedback signals.
    pub feedback_type: SignalKind,
    /// The feedback, at most 2,000 characters.
    pub feedback_signal: String,
    /// The actions that added a line, in order of priority.
    pub actions_applied: Vec<ActionKind>,
    /// The prompt after this iteration, at most 20,000 characters.
    pub refined_prompt: String,
    /// Its number, 1 for the first of the task.
    pub iteration: u32,
    /// Whether the refined prompt led to success; `null` until known.
    pub success: Option<bool>,
}

/// Why a refinement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Stopped")]
pub enum StopReason {
    /// The feedback signals no failure: the prompt is unchanged.
    NoSignal,
    /// The prompt reached the sufficient score.
    GoodEnough,
    /// No iteration is left.
    MaxIterations,
    /// Every fillable action is applied; more iterations would repeat them.
    NothingLeft,
}

/// The result of a refinement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The prompt to try next.
    pub refined_prompt: String,
    /// The iterations.
    pub iterations: Vec<LogEntry>,
    /// What the feedback signals.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signal: Option<Signal>,
    /// The assessment of the refined prompt.
    pub analysis: Analysis,
    /// Why it ended.
    pub stopped: StopReason,
}
