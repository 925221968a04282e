//! The turns of a rule's life as they are published.

use crate::clusters::evaluation::ActionType;
use crate::records::rule_status::ProposalStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleEventKind {
    /// It is in force, or in force with another text.
    RuleActivated,
    /// It was turned down, or nobody decided in time.
    RuleRejected,
    /// It left force.
    RuleRetired,
    /// It is in force and does not help.
    RuleFlagged,
}

impl RuleEventKind {
    /// As it is written in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleEventKind::RuleActivated => "rule_activated",
            RuleEventKind::RuleRejected => "rule_rejected",
            RuleEventKind::RuleRetired => "rule_retired",
            RuleEventKind::RuleFlagged => "rule_flagged",
        }
    }
}

/// A change in a rule's life as it is published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleEvent {
    /// What happened.
    pub event: RuleEventKind,
    /// The rule.
    pub rule_id: String,
    /// The version.
    pub version: u32,
    /// Where it stands now.
    pub status: ProposalStatus,
    /// What kind of change it is.
    pub action_type: ActionType,
    /// Its agents.
    pub affected_agents: Vec<String>,
    /// One line.
    pub title: String,
    /// Its text.
    pub rule_content: String,
    /// The text's hash.
    pub content_hash: String,
    /// Who approved it.
    pub approved_by: Vec<String>,
    /// Why it was turned down, left force, or is flagged.
    pub reason: Option<String>,
    /// The record in the store.
    pub record: String,
}
