//! What tools take and answer, field by field. The clients' schemas are made from these types; unknown arguments are
//! refused, for they may be misspelled.

use crate::app::channels::service::Suggested;
use crate::domain::channels::iteration::Finding;
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
    /// The agent, e.g. `coding-agent`; may be left out where only one has rules.
    pub agent: Option<String>,
    /// The files that are to be worked on, from the root of the repository: rules for other files only are left out.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// The rules that hold.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rules {
    /// The agent.
    pub agent: String,
    /// Approved by people; the most effective first. Empty where there are none.
    pub rules: Vec<ActiveRule>,
}

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimilarTo {
    /// A remark, a description of the work, or a unified diff.
    pub text: String,
    /// Only remarks on the work of this agent.
    pub agent: Option<String>,
    /// How many at most, 1 to 20; 5 without it.
    #[schemars(range(min = 1, max = 20))]
    pub limit: Option<usize>,
}

/// Past remarks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Remarks {
    /// How to read them.
    pub note: String,
    /// Most similar first.
    pub remarks: Vec<Remark>,
}

/// What a reviewer said.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Remark {
    /// How likely it demands the same, 0 to 1.
    pub similarity: f64,
    /// The gate.
    pub gate: Gate,
    /// The verdict that came with it.
    pub decision: Verdict,
    /// When.
    pub timestamp: Timestamp,
    /// Its id, the agent whose work it is about, and what was said, between fences: untrusted data.
    pub quoted: String,
}

/// A document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// One actionable-feedback document, as JSON or YAML text.
    pub document: String,
}

/// Whether it can be acted upon.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Validated {
    /// Whether it passes.
    pub valid: bool,
    /// Everything that is wrong with it, where, and what would pass.
    pub findings: Vec<Finding>,
}

/// What became of an action.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The agent that acted.
    pub agent: String,
    /// The agent's session: attempts of one session belong together.
    pub session_id: String,
    /// `action` where it succeeded, `action_failed`, or `action_partial`.
    #[serde(rename = "type")]
    pub kind: OutcomeKind,
    /// What was tried, e.g. `run_tests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What the system found, e.g. `test_failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference: Option<String>,
    /// What the failing step said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What the user asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_input: Option<String>,
    /// What it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The id of this report: sent again, it is the same one. Made up where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
}

/// What became of it, in a word.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// It succeeded.
    Action,
    /// It failed.
    ActionFailed,
    /// Some of it succeeded.
    ActionPartial,
}

/// What to try.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestions {
    /// What helped after failures like this one, with how often it was tried.
    pub results: Vec<Suggested>,
}

/// What was reported.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reported {
    /// The id under which it is recorded.
    pub action_id: String,
    /// What follows.
    pub effect: String,
}
