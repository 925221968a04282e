//! The rules in force as other programs read them: JSON, by agent.

use super::section::{Place, agents, finite, in_prompt_order, section, since};
use crate::records::record::{ProposalRecord, RuleType, Scope};
use crate::rules::draft::proposal::told;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule in force, as `asdlc:rules:active:<agent>` lists it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveRule {
    /// `RULE-<year>-<nnnn>`
    pub id: String,
    /// The version of its text.
    pub version: u32,
    /// One line.
    pub title: String,
    /// Its kind.
    pub rule_type: RuleType,
    /// Its text as it was approved, with its example where that is short.
    pub rule_content: String,
    /// BLAKE3 of the text.
    pub content_hash: String,
    /// Where it applies; empty where that is everywhere.
    pub scope: Scope,
    /// The probability, 0 to 1, that the pattern behind it is real.
    pub confidence: f64,
    /// Its measured effect, more is better; 0 where nothing is known.
    pub effect: f64,
    /// Since when it is in force.
    pub activated_at: Timestamp,
    /// How many feedback records support it.
    pub evidence_count: u64,
}

/// The value of `asdlc:rules:active:<agent>`, in prompt order. Where no rule is in force there is no such key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveRules(#[schemars(length(min = 1))] pub Vec<ActiveRule>);

/// What the two keys of one agent hold.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRules {
    pub agent: String,
    /// `asdlc:rules:active:<agent>`; where it is empty, the key is to be removed.
    pub active: Vec<ActiveRule>,
    /// `asdlc:rules:prompt:<agent>`; where there is none, the key is to be removed.
    pub prompt: Option<String>,
}

/// What the keys of all agents hold that have or had a rule in force, by agent. `rules` are all there are, whatever
/// their state.
pub fn deployed(rules: &[ProposalRecord], effect: impl Fn(&str) -> f64, cap: usize) -> Vec<AgentRules> {
    let each = agents(rules).into_iter().map(|agent| agent_rules(rules, agent, &Place::default(), &effect, cap));
    each.collect()
}

/// The same for one agent, with the rules that may apply at `place` only.
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

/// The active rules as the JSON list that agents read.
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
