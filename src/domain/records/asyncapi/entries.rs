//! Entries of the input streams as a publisher writes them, for the AsyncAPI document. Anything else that is read, and
//! field aliases, are in `intake::decode`.

use crate::intake::comment::Comment;
use crate::intake::submission::ReviewAction;
use crate::text::verdict::{Severity, Verdict};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// One person's decision at one gate. Unknown fields are kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DecisionEntry {
    /// The publisher's id; the same id means the same decision.
    pub decision_id: String,
    /// `HITL-<n>` or `hitl_<n>_<name>`.
    pub gate_id: String,
    /// The decision.
    pub decision: Verdict,
    /// The person who decided.
    pub reviewer_id: String,
    /// When it was made.
    pub timestamp: Timestamp,
    /// The reviewer's comment on the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer_comment: Option<String>,
    /// Comments on places in the work; each is separate feedback. In a flat entry a JSON array.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// The agent that did the work; the gate's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The epic under review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epic_id: Option<String>,
    /// The agent session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The correction in a person's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction_summary: Option<String>,
    /// The correction itself, a unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction_diff: Option<String>,
    /// How strongly the reviewer objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
}

/// A dispatcher's event; all but these two are dropped.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DispatcherEntry {
    /// What happened.
    pub event_type: DispatcherEvent,
    /// The agent session.
    pub session_id: String,
    /// When it was made.
    pub timestamp: Timestamp,
    /// `request_id`, `decision_id`, `reviewer`, `reason`, `conditions`.
    pub metadata: BTreeMap<String, Value>,
}

/// The dispatcher's events that are decisions.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DispatcherEvent {
    /// The gate's request was approved.
    GateApproved,
    /// It was rejected.
    GateRejected,
}

/// A review of a proposal or a rule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReviewEntry {
    /// The publisher's id; the same id means the same review.
    pub review_id: String,
    /// The reviewer.
    pub reviewer_id: String,
    /// When it was made.
    pub timestamp: Timestamp,
    /// The action and its subject.
    #[serde(flatten)]
    pub action: ReviewAction,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The version that the reviewer saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// The reviewer's SSH signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
}

/// A failed output, and the prompt that led to it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RefinementEntry {
    /// The prompt.
    pub original_prompt: String,
    /// Feedback or program output about the result.
    pub feedback: String,
    /// The publisher's id; the entry's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinement_id: Option<String>,
    /// When; if absent, when the entry was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The exit code of the command that wrote the feedback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The tool or the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// An accompanying report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// The number of this refinement of the task, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// Whether the previous prompt succeeded, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
}
