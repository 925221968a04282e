//! Similar rules and proposals.

use crate::domain::records::record::{ProposalRecord, RuleState};
use crate::queries::{Comparisons, QueryError, RuleFile};

/// Number of rules shown.
const SHOWN: usize = 5;
/// Number of rules compared: the latest.
const COMPARED: usize = 100;
/// Minimum similarity.
const NEAR: f64 = 0.3;

/// A similar rule or proposal.
#[derive(Clone, Debug, PartialEq)]
pub struct NearRule {
    /// The probability that both say the same, 0 to 1.
    pub similarity: f64,
    /// The other.
    pub rule: RuleFile,
}

/// Returns the most similar proposals and rules in force of the same agents.
pub(super) fn near(of: &Comparisons<'_>, rule: &ProposalRecord) -> Result<Vec<NearRule>, QueryError> {
    let mut others = of.queries.proposals(None, None)?;
    let same_agent = |other: &RuleFile| other.record.affected_agents.iter().any(|a| rule.affected_agents.contains(a));
    let open = |other: &RuleFile| matches!(other.state, RuleState::Proposed | RuleState::Active);
    others.retain(|other| open(other) && same_agent(other) && other.record.proposal_id != rule.proposal_id);
    others.truncate(COMPARED);
    let text = |record: &ProposalRecord| record.rule_content.clone();
    of.understanding.prepare(&mut others.iter().map(|other| text(&other.record)).chain([text(rule)]))?;
    let like = of.understanding.compared_with(&rule.rule_content)?;
    let mut found = Vec::new();
    for rule in others {
        let similarity = like.similarity(&rule.record.rule_content)?;
        found.extend(similarity.filter(|s| *s >= NEAR).map(|similarity| NearRule { similarity, rule }));
    }
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    found.truncate(SHOWN);
    Ok(found)
}
