//! A published evaluation.

use crate::clusters::evaluation::{Classification, ProposedAction};
use crate::text::ids::Gate;
use crate::text::verdict::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A published evaluation (`EvaluatorDecision`; specification, "Learning: Evaluation").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackEvaluated {
    /// The feedback.
    pub feedback_id: String,
    /// Its decision.
    pub decision_id: String,
    /// The agent.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// The verdict.
    pub decision: Verdict,
    /// The reviewer.
    pub reviewer_id: String,
    /// The class.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// The reason, in words.
    pub rationale: String,
    /// The most similar earlier feedback.
    pub similar_feedback_ids: Vec<String>,
    /// The cluster.
    pub cluster_id: Option<String>,
    /// The resulting action.
    pub proposed_action: Option<ProposedAction>,
    /// 1 for the first evaluation of this feedback, incremented on each change.
    pub revision: u32,
    /// The record in the store.
    pub record: String,
}
