//! The answer to an action's result, as published and stored. `feedback` computes it.

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
    /// Further details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// The data concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<BTreeMap<String, Value>>,
    /// What went wrong, and what to try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// A note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The state as the model reads it (specification, "Actions: Structured feedback").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Context {
    /// The state of the workflow.
    pub workflow_state: Option<String>,
    /// The case being worked on.
    pub active_case: Option<String>,
    /// The callable tools.
    pub available_tools: Vec<String>,
    /// The most recent actions.
    pub recent_actions: Vec<String>,
}

/// The recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RouteTo {
    /// The agent that acted.
    Agent,
    /// The agent it reports to.
    Supervisor,
    /// People: the attempts are exhausted.
    People,
}

/// An agent's message to its supervisor (specification, "Actions: Several agents").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentMessage {
    /// The agent that acted.
    pub agent: String,
    /// The message.
    pub feedback: String,
}

/// The recipient of an answer, and the message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Route {
    /// The recipient.
    pub to: RouteTo,
    /// The agent's or supervisor's name; absent for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The message to the supervisor, if any, regardless of who else is notified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<AgentMessage>,
}

/// An escalation to people, with everything that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Escalation {
    /// The number of failed attempts.
    pub attempts: u32,
    /// The question to decide, in words.
    pub question: String,
    /// Everything that was tried; at most the last 200 attempts.
    pub tried: Vec<HistoryEntry>,
    /// What has not been tried.
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
    /// The words that indicate the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<String>,
    /// The id shared with failures of the same cause.
    pub signature: String,
    /// The system's confidence, given earlier failures.
    pub confidence: Confidence,
    /// Why the confidence was lowered (specification, "Actions: Confidence").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to try, best first (specification, "Actions: Ranking suggestions"). Empty after a success.
    pub suggestions: Vec<Suggestion>,
    /// What was tried, including this attempt, at most the last 20 (specification, "Actions: History").
    pub feedback_history: Vec<HistoryEntry>,
    /// The attempt's number in its chain, from 1.
    pub attempt: u32,
    /// How many attempts of the current run failed, including this one; attempts before a success that helped do not
    /// count.
    pub tries: u32,
    /// The number of these after which people are asked.
    pub max_attempts: u32,
    /// What the result should have reported but did not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The recipient.
    pub route: Route,
    /// The escalation to people; only once in a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
    /// The attempt at which people were asked, if earlier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated_at: Option<u32>,
}

/// One line of the history (specification, "Actions: History").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEntry {
    /// The attempt's number in the chain, from 1.
    pub attempt: u32,
    /// The approach; the inference if none was named.
    pub action: String,
    /// `success`, `failed` or `partial`.
    pub result: String,
    /// Why, if reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The source of a suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuggestionSource {
    /// Tried in this situation.
    Observed,
    /// Tried in situations with the same inference or class of cause.
    Similar,
    /// Suggested by the publisher.
    Publisher,
    /// Built in for such causes.
    BuiltIn,
}

impl SuggestionSource {
    /// Returns the spelling in tables.
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
    /// The probability that it helps here, 0 to 1; lowered if it failed in this run.
    pub confidence: f64,
    /// The available name of the tool to call, if it is a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// How often it was tried in this situation.
    pub tried: u64,
    /// How often it helped; partial successes are not counted.
    pub succeeded: u64,
    /// How often it helped partly.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub partly: u64,
    /// The 90 % interval of the success rate.
    pub credible: Credible,
    /// How often it failed in this run.
    #[serde(default, skip_serializing_if = "is_none_failed")]
    pub failed_here: u32,
    /// Its source.
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
