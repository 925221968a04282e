//! An agent's report of an action: the event as stored. `read` parses what publishers write.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The outcome of an action (specification, "Actions: Structured feedback").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum ActionKind {
    /// Success.
    #[serde(rename = "action")]
    Success,
    /// Failure.
    #[serde(rename = "action_failed")]
    Failed,
    /// It partly succeeded.
    #[serde(rename = "action_partial")]
    Partial,
}

impl ActionKind {
    /// Returns the spelling in `feedback_history` (specification, "Actions: History"): `success`, `failed`, and
    /// `partial`.
    pub fn result(self) -> &'static str {
        match self {
            ActionKind::Success => "success",
            ActionKind::Failed => "failed",
            ActionKind::Partial => "partial",
        }
    }
}

/// The confidence of an inference (specification, "Actions: The context of an inference").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Hardly.
    Low,
    /// Somewhat.
    Medium,
    /// Well.
    High,
}

impl Confidence {
    /// Returns the spelling in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }

    /// Returns the next lower level; `low` stays.
    pub fn lowered(self) -> Confidence {
        match self {
            Confidence::High => Confidence::Medium,
            Confidence::Medium | Confidence::Low => Confidence::Low,
        }
    }
}

/// The state in which an action ran (specification, "Actions: Structured feedback").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// The case being worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_case: Option<String>,
    /// The state of the workflow, such as `active`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_state: Option<String>,
    /// The tools that the agent can call; absent if not reported, empty if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_tools: Option<Vec<String>>,
    /// The most recent actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent_actions: Vec<String>,
}

/// A suggestion by the publisher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GivenSuggestion {
    /// What to do: the name of an approach or tool, or a sentence.
    pub action: String,
    /// The publisher's estimate of how likely it is to help, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// The outcome of an agent's action (`asdlc:events:action_results`). Texts are bounded, see `shortened`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionResult {
    /// The publisher's id; `<id>.<nn>`, counted from 01, if one event carried several inferences.
    pub action_id: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The agent session.
    pub session_id: String,
    /// The agent that acted.
    pub agent: String,
    /// The agent it reports to, if any (specification, "Actions: Several agents").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supervisor: Option<String>,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// What the user asked for; may be empty.
    #[serde(default)]
    pub user_input: String,
    /// The outcome.
    #[serde(rename = "type")]
    pub kind: ActionKind,
    /// What the system found, such as `unresolved_document_ids`; `unspecified` if not reported.
    pub inference: String,
    /// The approach tried, such as `direct_path`, or a sentence about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The system's confidence in its inference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Further details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The error message of the failing step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The data concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<BTreeMap<String, Value>>,
    /// A note for the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The publisher's own text for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// The state in which it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// The publisher's number of the attempt, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The publisher's suggestions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<GivenSuggestion>,
    /// The event, if it carried several inferences: these are one attempt and do not answer each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// Fields reduced to their beginning and end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortened: Vec<String>,
    /// Unknown fields sent by the publisher.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

impl ActionResult {
    /// Returns the texts that may explain the failure, the most informative first.
    pub fn causes(&self) -> impl Iterator<Item = &str> {
        [&self.reason, &self.error, &self.details, &self.feedback].into_iter().filter_map(|text| text.as_deref())
    }

    /// Returns the callable tools, if reported.
    pub fn tools(&self) -> Option<&[String]> {
        self.state.as_ref().and_then(|state| state.available_tools.as_deref())
    }

    /// Reports whether there is something to fix.
    pub fn is_failure(&self) -> bool {
        self.kind != ActionKind::Success
    }
}

/// Why an event cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The invalid field.
    pub field: String,
    /// The value found.
    pub found: String,
    /// What would be valid.
    pub would_pass: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {}; expected {}.", self.field, self.found, self.would_pass)
    }
}

impl std::error::Error for Problem {}
