//! Inputs and outputs of the tools, field by field. The clients' schemas are generated from these types; unknown
//! arguments are rejected, since they may be misspelled.

use crate::app::channels::service::SuggestionList;
use crate::domain::channels::iteration::Diagnostic;
use crate::domain::rules::in_force::prompt::ActiveRule;
use crate::text::ids::Gate;
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Whose rules, and for which files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesOf {
    /// The agent, e.g. `coding-agent`; may be left out if only one has rules.
    pub agent: Option<String>,
    /// The files to be worked on, relative to the repository root: rules only for other files are left out.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// The rules that apply.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rules {
    /// The agent.
    pub agent: String,
    /// Approved by people; the most effective first. May be empty.
    pub rules: Vec<ActiveRule>,
}

/// A query for similar comments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimilarTo {
    /// A comment, a description of the work, or a unified diff.
    pub text: String,
    /// Only comments on this agent's work.
    pub agent: Option<String>,
    /// Maximum number, 1 to 20; default 5.
    #[schemars(range(min = 1, max = 20))]
    pub limit: Option<usize>,
}

/// Past comments.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Remarks {
    /// How to read them.
    pub note: String,
    /// Most similar first.
    pub remarks: Vec<Remark>,
}

/// A reviewer's comment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Remark {
    /// The probability that it demands the same, 0 to 1.
    pub similarity: f64,
    /// The gate.
    pub gate: Gate,
    /// The accompanying verdict.
    pub decision: Verdict,
    /// The time.
    pub timestamp: Timestamp,
    /// Its id, the agent whose work it is about, and its text, fenced: untrusted data.
    pub quoted: String,
}

/// A document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// One actionable-feedback document, as JSON or YAML text.
    pub document: String,
}

/// Whether the document is actionable.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Validated {
    /// Whether it passes.
    pub valid: bool,
    /// All problems, where they are, and what would pass.
    pub findings: Vec<Diagnostic>,
}

/// The outcome of an action.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The agent that acted.
    pub agent: String,
    /// The agent's session: attempts in one session belong together.
    pub session_id: String,
    /// `action` if it succeeded, `action_failed`, or `action_partial`.
    #[serde(rename = "type")]
    pub kind: OutcomeKind,
    /// What was tried, e.g. `run_tests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The system's finding, e.g. `test_failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference: Option<String>,
    /// The failing step's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// More details.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What the user asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_input: Option<String>,
    /// The data involved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The report's id: the same id means the same report. Generated if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
}

/// The kind of outcome.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// Success.
    Action,
    /// Failure.
    ActionFailed,
    /// Partial success.
    ActionPartial,
}

/// Suggestions of what to try.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestions {
    /// What helped after similar failures, with how often it was tried.
    pub results: Vec<SuggestionList>,
}

/// The result of a report.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reported {
    /// The id in the record.
    pub action_id: String,
    /// The effect.
    pub effect: String,
}
