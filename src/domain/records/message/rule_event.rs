//! Published events in a rule's life.

use crate::clusters::evaluation::ActionType;
use crate::records::rule_status::ProposalStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleEventKind {
    /// It came into force, possibly with a new text.
    RuleActivated,
    /// It was rejected, or expired undecided.
    RuleRejected,
    /// It left force.
    RuleRetired,
    /// It is in force but does not help.
    RuleFlagged,
}

impl RuleEventKind {
    /// Returns the spelling used in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleEventKind::RuleActivated => "rule_activated",
            RuleEventKind::RuleRejected => "rule_rejected",
            RuleEventKind::RuleRetired => "rule_retired",
            RuleEventKind::RuleFlagged => "rule_flagged",
        }
    }
}

/// A published change in a rule's life.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleEvent {
    /// What happened.
    pub event: RuleEventKind,
    /// The rule.
    pub rule_id: String,
    /// The version.
    pub version: u32,
    /// Its current status.
    pub status: ProposalStatus,
    /// The kind of change.
    pub action_type: ActionType,
    /// Its agents.
    pub affected_agents: Vec<String>,
    /// One-line title.
    pub title: String,
    /// Its text.
    pub rule_content: String,
    /// The text's hash.
    pub content_hash: String,
    /// Who approved it.
    pub approved_by: Vec<String>,
    /// Why it was rejected, left force, or is flagged.
    pub reason: Option<String>,
    /// The record in the store.
    pub record: String,
}
