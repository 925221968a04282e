//! Alerts: what people should look at.
//!
//! Raising one is the work of whoever finds the reason; here is only how it is said.

use super::envelope::{Outgoing, Topic, json};
use crate::records::side::Side;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Something people should look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Alert {
    /// Feedback that contradicts earlier feedback waits for a tiebreak.
    AmbiguousFeedback {
        /// The feedback.
        feedback_id: String,
        /// The agent.
        agent: String,
        /// The question to decide, in words.
        question: String,
        /// What this feedback says.
        this_side: Side,
        /// What was said before.
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
        /// The proposal to retire it, where there is one.
        proposal_id: Option<String>,
        /// The record in the store.
        record: String,
    },
    /// A proposal waits for its reviewers for long, and will expire.
    ProposalWaits {
        /// The proposal.
        proposal_id: String,
        /// Its agents.
        agents: Vec<String>,
        /// What it says.
        rule_content: String,
        /// Since when.
        since: Timestamp,
        /// The record in the store.
        record: String,
    },
    /// A rule is not in force, although its file said so: too few people approved it, or not in this form.
    RuleSetAside {
        /// The rule.
        rule_id: String,
        /// The agents it would be for.
        agents: Vec<String>,
        /// What is missing.
        message: String,
        /// The record in the store.
        record: String,
    },
    /// An agent's corrections ask for so many different things that rules will not mend it.
    CapabilityGap {
        /// The agent.
        agent: String,
        /// What is to be looked at, in words and figures.
        message: String,
        /// The figures behind it.
        figures: GapFigures,
        /// The record in the store.
        record: String,
    },
    /// An action failed so often that people must say how to go on (specification, "Actions").
    ActionEscalated {
        /// The action that failed last.
        action_id: String,
        /// The agent.
        agent: String,
        /// What is to be decided.
        message: String,
        /// What was tried, and what was not, a line each.
        details: Vec<String>,
        /// The record in the store.
        record: String,
    },
    /// Reviews name the same issue again and again (specification, "Review documents").
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

/// The alerts that have a record of their own: what no other record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AlertKind {
    CapabilityGap,
    ActionEscalated,
    RepeatedIssue,
}

impl AlertKind {
    /// As it is written in files and messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a capability gap shows itself by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapFigures {
    /// The agent's decisions in the window.
    pub decisions: u64,
    /// How many of them were corrections.
    pub corrections: u64,
    /// The window, in days.
    pub days: u32,
    /// Rules in force for the agent.
    pub active_rules: u64,
    /// How many different things the corrections ask for.
    pub themes: u64,
}

/// The message for an alert. `key` tells it from all others.
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
