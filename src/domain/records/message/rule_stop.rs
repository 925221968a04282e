//! A stop of rules, and its end, as they are published.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleStopKind {
    /// They are in no prompt, and stay in force.
    RuleStopped,
    /// They may enter prompts again.
    RuleResumed,
}

impl RuleStopKind {
    /// As it is written in messages.
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
    /// The rule; all of them where none is named, those that come into force later too.
    pub rule_id: Option<String>,
    /// Who did it, as far as that was told.
    pub by: String,
    /// When, as far as that was told.
    pub at: Option<Timestamp>,
    /// Why, as far as that was told.
    pub reason: String,
    /// The record in the store.
    pub record: String,
}
