//! The answer to an action's result, as it is published and stored. How it comes about is the work of `feedback`.

use super::beta::Credible;
use super::cause::Cause;
use super::result::{ActionKind, Confidence};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The message's schema.
pub const FEEDBACK_SCHEMA: &str = "feedbackd.action_feedback/1";

/// One inference as the model reads it (specification, "Actions: The context of an inference").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LocalInference {
    /// `action`, `action_failed` or `action_partial`.
    #[serde(rename = "type")]
    pub kind: ActionKind,
    /// What the system found.
    pub inference: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// What was done, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<BTreeMap<String, Value>>,
    /// What went wrong and what to try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// A remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The state as the model reads it (specification, "Actions: Structured feedback").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Context {
    /// Where the workflow stands.
    pub workflow_state: Option<String>,
    /// The case that is worked on.
    pub active_case: Option<String>,
    /// The tools that can be called.
    pub available_tools: Vec<String>,
    /// What was done last.
    pub recent_actions: Vec<String>,
}

/// Who is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RouteTo {
    /// The agent that acted.
    Agent,
    /// The agent it reports to.
    Supervisor,
    /// People: the attempts are used up.
    People,
}

/// What an agent tells its supervisor (specification, "Actions: Several agents").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentMessage {
    /// The agent that acted.
    pub agent: String,
    /// What it has to say.
    pub feedback: String,
}

/// Who is told, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Route {
    /// Whom it is for.
    pub to: RouteTo,
    /// The agent's or supervisor's name; absent for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The message to the supervisor, where there is one, whoever else is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<AgentMessage>,
}

/// That people are asked, with everything that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Escalation {
    /// How many attempts failed.
    pub attempts: u32,
    /// What is to be decided, in words.
    pub question: String,
    /// Everything that was tried; at most the last 200 attempts.
    pub tried: Vec<HistoryEntry>,
    /// What was not tried yet.
    pub untried: Vec<String>,
}

/// The answer to an action's result (`asdlc:events:action_feedback`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionFeedback {
    /// The action it answers.
    pub action_id: String,
    /// When the action happened.
    pub timestamp: Timestamp,
    /// The session.
    pub session_id: String,
    /// The agent.
    pub agent: String,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// What the user asked for.
    pub user_input: String,
    /// What the system found.
    pub local_inferences: Vec<LocalInference>,
    /// The state.
    pub context: Context,
    /// What happened, as a sentence.
    pub what_happened: String,
    /// Why, as a sentence.
    pub why: String,
    /// All of it on one line.
    pub summary: String,
    /// The class of the cause.
    pub class: Cause,
    /// The words that show the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<String>,
    /// The id of what it shares with failures of the same cause.
    pub signature: String,
    /// How sure the system is, after what failed before.
    pub confidence: Confidence,
    /// Why the confidence was lowered (specification, "Actions: Confidence").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to try, best first (specification, "Actions: Ranking suggestions"). Empty after a success.
    pub suggestions: Vec<Suggestion>,
    /// What was tried, this included, at most the last 20 (specification, "Actions: History").
    pub feedback_history: Vec<HistoryEntry>,
    /// The attempt's number in its chain, from 1.
    pub attempt: u32,
    /// How many attempts of the current run failed, this one included; what was tried before a success that helped
    /// does not count.
    pub tries: u32,
    /// After how many of these people are asked.
    pub max_attempts: u32,
    /// What the result should have told and did not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Who is told.
    pub route: Route,
    /// That people are asked now; only once in a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
    /// The attempt at which people were asked, where that was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated_at: Option<u32>,
}

/// One line of the history (specification, "Actions: History").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEntry {
    /// Counted from 1 in the chain.
    pub attempt: u32,
    /// The approach; the inference where none was named.
    pub action: String,
    /// `success`, `failed` or `partial`.
    pub result: String,
    /// Why, where it was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Where a suggestion comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuggestionSource {
    /// It was tried in this situation.
    Observed,
    /// It was tried in situations of the same inference or the same class of cause.
    Similar,
    /// The publisher suggests it.
    Publisher,
    /// It is what such causes usually call for.
    BuiltIn,
}

impl SuggestionSource {
    /// The spelling in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            SuggestionSource::Observed => "observed",
            SuggestionSource::Similar => "similar",
            SuggestionSource::Publisher => "publisher",
            SuggestionSource::BuiltIn => "built_in",
        }
    }
}

/// One thing to try (specification, "Actions: Ranking suggestions").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Suggestion {
    /// The approach.
    pub action: String,
    /// How likely it is to help here, 0 to 1; lowered where it failed in this run.
    pub confidence: f64,
    /// The tool to call, by its available name, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// How often it was tried in this situation.
    pub tried: u64,
    /// How often it helped; helping in part is not counted here.
    pub succeeded: u64,
    /// How often it helped in part.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub partly: u64,
    /// Where the rate of success lies with 90 % probability.
    pub credible: Credible,
    /// How often it failed in this run.
    #[serde(default, skip_serializing_if = "is_none_failed")]
    pub failed_here: u32,
    /// Where it comes from.
    pub source: SuggestionSource,
    /// Why it may help, with the counts.
    pub why: String,
    /// What to do, as a sentence.
    pub how: String,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_none_failed(count: &u32) -> bool {
    *count == 0
}
