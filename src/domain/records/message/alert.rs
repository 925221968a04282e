//! Alerts: what needs people's attention.
//!
//! They are raised elsewhere; only their content is defined here.

use super::envelope::{Outgoing, Topic, json};
use crate::records::side::Side;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// An alert to people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Alert {
    /// Feedback that contradicts earlier feedback is pending a tiebreak.
    AmbiguousFeedback {
        /// The feedback.
        feedback_id: String,
        /// The agent.
        agent: String,
        /// The question to decide, in words.
        question: String,
        /// This feedback's side.
        this_side: Side,
        /// The earlier side.
        other_side: Vec<Side>,
        /// The record in the store.
        record: String,
    },
    /// A rule in force does not help.
    IneffectiveRule {
        /// The rule.
        rule_id: String,
        /// Its agents.
        agents: Vec<String>,
        /// Why, in words and figures.
        message: String,
        /// The proposal to retire it, if any.
        proposal_id: Option<String>,
        /// The record in the store.
        record: String,
    },
    /// A proposal has been pending for long, and will expire.
    ProposalWaits {
        /// The proposal.
        proposal_id: String,
        /// Its agents.
        agents: Vec<String>,
        /// Its text.
        rule_content: String,
        /// When it became pending.
        since: Timestamp,
        /// The record in the store.
        record: String,
    },
    /// A rule is not in force, although its file said so: too few people approved it, or not in this form.
    RuleSetAside {
        /// The rule.
        rule_id: String,
        /// The agents it is meant for.
        agents: Vec<String>,
        /// What is missing.
        message: String,
        /// The record in the store.
        record: String,
    },
    /// An agent's corrections make so many different demands that rules will not fix it.
    CapabilityGap {
        /// The agent.
        agent: String,
        /// What to check, in words and figures.
        message: String,
        /// The figures behind it.
        figures: GapFigures,
        /// The record in the store.
        record: String,
    },
    /// An action failed so often that people must decide how to proceed (specification, "Actions").
    ActionEscalated {
        /// The action that failed last.
        action_id: String,
        /// The agent.
        agent: String,
        /// The question to decide.
        message: String,
        /// What was tried, and what was not, one line each.
        details: Vec<String>,
        /// The record in the store.
        record: String,
    },
    /// Reviews name the same issue repeatedly (specification, "Review documents").
    RepeatedIssue {
        /// What was reviewed.
        target: String,
        /// Which issue, and how often it was named.
        message: String,
        /// The record in the store.
        record: String,
    },
    /// An entry was trimmed from its stream before it was processed: its content is lost.
    EntryLost {
        /// The stream's key.
        stream: String,
        /// The entry's id.
        entry_id: String,
        /// What happened, and how to prevent it.
        message: String,
        /// The record in the store.
        record: String,
    },
}

/// The alerts with a separate record, as no other record contains them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AlertKind {
    CapabilityGap,
    ActionEscalated,
    RepeatedIssue,
}

impl AlertKind {
    /// Returns the spelling used in files and messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The evidence for a capability gap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapFigures {
    /// The agent's decisions in the window.
    pub decisions: u64,
    /// How many of the decisions were corrections.
    pub corrections: u64,
    /// The window, in days.
    pub days: u32,
    /// Rules in force for the agent.
    pub active_rules: u64,
    /// How many different demands the corrections make.
    pub themes: u64,
}

/// Builds the message for an alert. `key` identifies it uniquely.
pub fn alert(key: &str, tenant: Option<&str>, timestamp: Timestamp, data: &Alert) -> Outgoing {
    Outgoing {
        topic: Topic::Alerts,
        schema: "feedbackd.alert/1",
        idempotency_key: format!("alert:{key}"),
        tenant_id: tenant.unwrap_or_default().to_owned(),
        timestamp,
        trace: None,
        data: json(data),
    }
}
