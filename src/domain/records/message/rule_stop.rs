//! Stops and resumptions of rules, as published.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleStopKind {
    /// They are in no prompt, but stay in force.
    RuleStopped,
    /// They may enter prompts again.
    RuleResumed,
}

impl RuleStopKind {
    /// Returns the spelling used in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleStopKind::RuleStopped => "rule_stopped",
            RuleStopKind::RuleResumed => "rule_resumed",
        }
    }
}

/// A rule, or all of them, was stopped or resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleStop {
    /// What happened.
    pub event: RuleStopKind,
    /// The rule; `None` for all, including later ones.
    pub rule_id: Option<String>,
    /// Who did it, if known.
    pub by: String,
    /// When, if known.
    pub at: Option<Timestamp>,
    /// Why, if known.
    pub reason: String,
    /// The record in the store.
    pub record: String,
}
