//! What an agent reports of an action: the event as it is kept. How publishers write it is `read`'s work.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// What became of an action (specification, "Actions: Structured feedback").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum ActionKind {
    /// It succeeded.
    #[serde(rename = "action")]
    Success,
    /// It failed.
    #[serde(rename = "action_failed")]
    Failed,
    /// Some of it succeeded.
    #[serde(rename = "action_partial")]
    Partial,
}

impl ActionKind {
    /// The spelling in `feedback_history` (specification, "Actions: History"): `success`, `failed`, and `partial`.
    pub fn result(self) -> &'static str {
        match self {
            ActionKind::Success => "success",
            ActionKind::Failed => "failed",
            ActionKind::Partial => "partial",
        }
    }
}

/// How sure an inference is (specification, "Actions: The context of an inference").
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
    /// The spelling in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }

    /// One step lower; `low` stays.
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
    /// The case that is worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_case: Option<String>,
    /// Where the workflow stands, such as `active`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_state: Option<String>,
    /// The tools that the agent can call; absent where it was not told, empty where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_tools: Option<Vec<String>>,
    /// What was done last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent_actions: Vec<String>,
}

/// What the publisher itself suggests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GivenSuggestion {
    /// What to do: the name of an approach or tool, or a sentence.
    pub action: String,
    /// How likely it is to help, 0 to 1, in the publisher's view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// The outcome of an agent's action (`asdlc:events:action_results`). Texts are bounded, see `shortened`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionResult {
    /// The publisher's id; where one event carried several inferences, `<id>.<nn>`, counted from 01.
    pub action_id: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The agent session.
    pub session_id: String,
    /// The agent that acted.
    pub agent: String,
    /// The agent it reports to, where there is one (specification, "Actions: Several agents").
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
    /// What became of it.
    #[serde(rename = "type")]
    pub kind: ActionKind,
    /// What the system found, such as `unresolved_document_ids`; `unspecified` where it was not told.
    pub inference: String,
    /// The approach that was tried, such as `direct_path`, or a sentence about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How sure the system is of its inference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the failing step said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<BTreeMap<String, Value>>,
    /// A remark for the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The publisher's own words to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// The state in which it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Which attempt it is, counted from 1, in the publisher's view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// What the publisher suggests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<GivenSuggestion>,
    /// The event, where it carried several inferences: these are one attempt, not answers to each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// Fields of which only the beginning and the end are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortened: Vec<String>,
    /// Fields the publisher sent that are not known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

impl ActionResult {
    /// The texts that may say why it failed, the most telling first.
    pub fn causes(&self) -> impl Iterator<Item = &str> {
        [&self.reason, &self.error, &self.details, &self.feedback].into_iter().filter_map(|text| text.as_deref())
    }

    /// The tools that can be called, where that was told.
    pub fn tools(&self) -> Option<&[String]> {
        self.state.as_ref().and_then(|state| state.available_tools.as_deref())
    }

    /// Whether there is something to put right.
    pub fn is_failure(&self) -> bool {
        self.kind != ActionKind::Success
    }
}

/// Why an event cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The field that is wrong.
    pub field: String,
    /// What is there.
    pub found: String,
    /// What would pass.
    pub would_pass: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {}; expected {}.", self.field, self.found, self.would_pass)
    }
}

impl std::error::Error for Problem {}
