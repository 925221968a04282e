//! The rules in force as other programs read them: JSON, by agent.

use super::section::{Place, agents, finite, in_prompt_order, section, since};
use crate::records::record::{ProposalRecord, RuleType, Scope};
use crate::rules::draft::proposal::told;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule in force, as listed in `asdlc:rules:active:<agent>`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveRule {
    /// `RULE-<year>-<nnnn>`
    pub id: String,
    /// The version of its text.
    pub version: u32,
    /// A one-line title.
    pub title: String,
    /// Its kind.
    pub rule_type: RuleType,
    /// Its approved text, with its example if that is short.
    pub rule_content: String,
    /// BLAKE3 of the text.
    pub content_hash: String,
    /// Where it applies; empty for everywhere.
    pub scope: Scope,
    /// The probability, 0 to 1, that the pattern behind it is real.
    pub confidence: f64,
    /// Its measured effect, more is better; 0 if unknown.
    pub effect: f64,
    /// Since when it has been in force.
    pub activated_at: Timestamp,
    /// The number of feedback records that support it.
    pub evidence_count: u64,
}

/// The value of `asdlc:rules:active:<agent>`, in prompt order. The key does not exist if no rule is in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveRules(#[schemars(length(min = 1))] pub Vec<ActiveRule>);

/// The content of one agent's two keys.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRules {
    pub agent: String,
    /// `asdlc:rules:active:<agent>`; if empty, the key is to be removed.
    pub active: Vec<ActiveRule>,
    /// `asdlc:rules:prompt:<agent>`; if `None`, the key is to be removed.
    pub prompt: Option<String>,
}

/// Returns the content of the keys of all agents that have or had a rule in force. `rules` are all rules in any state.
pub fn deployed(rules: &[ProposalRecord], effect: impl Fn(&str) -> f64, cap: usize) -> Vec<AgentRules> {
    let each = agents(rules).into_iter().map(|agent| agent_rules(rules, agent, &Place::default(), &effect, cap));
    each.collect()
}

/// Returns the content of one agent's keys, with only the rules that may apply at `place`.
pub fn agent_rules(
    rules: &[ProposalRecord],
    agent: &str,
    place: &Place<'_>,
    effect: impl Fn(&str) -> f64,
    cap: usize,
) -> AgentRules {
    let chosen = in_prompt_order(rules, agent, place, &effect, cap);
    AgentRules {
        agent: agent.to_owned(),
        active: chosen.iter().map(|rule| active(rule, finite(effect(&rule.proposal_id)))).collect(),
        prompt: section(&chosen, false),
    }
}

/// Returns the active rules as the JSON list that agents read.
pub fn active_json(active: &[ActiveRule]) -> String {
    serde_json::to_string(active).expect("these types have string keys only, so they always serialise")
}

fn active(rule: &ProposalRecord, effect: f64) -> ActiveRule {
    ActiveRule {
        id: rule.proposal_id.clone(),
        version: rule.version,
        title: rule.title.clone(),
        rule_type: rule.rule_type,
        rule_content: told(rule).into_owned(),
        content_hash: rule.content_hash.clone(),
        scope: rule.scope.clone(),
        confidence: rule.classification_confidence,
        effect,
        activated_at: since(rule),
        evidence_count: rule.evidence_count,
    }
}
