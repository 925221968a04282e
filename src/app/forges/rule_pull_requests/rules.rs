//! The rules in force for an agent, as presented in a pull request.

use crate::domain::records::record::{ProposalRecord, ProposalStatus};
use crate::domain::rules::in_force::prompt::Place;
use crate::domain::rules::in_force::pull_request::RuleFacts;
use crate::queries::{Queries, QueryError};
use crate::rules::in_force::{InForce, PromptBuilder};
use crate::text::prose::day;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// A pull request for rules.
#[derive(Clone, Debug, Default)]
pub struct RulePullRequest {
    /// The section that the files are to hold; `None` if no rule is in force.
    pub section: Option<String>,
    /// Facts about the agent's rules, including removed ones, by id.
    pub facts: BTreeMap<String, RuleFacts>,
}

/// Returns the rules in force for an agent.
///
/// # Errors
/// If store or index cannot be read.
pub fn offer(
    queries: &Queries<'_>,
    prompting: &PromptBuilder,
    agent: &str,
    now: Timestamp,
) -> Result<RulePullRequest, QueryError> {
    let section = InForce::read(queries, prompting, now)?.at(agent, &Place::default()).prompt.clone();
    let stops = queries.stops()?;
    let mut facts = BTreeMap::new();
    for file in queries.proposals(None, Some(agent))? {
        let rule = &file.record;
        let is_stopped = stops.of(&rule.proposal_id).is_some();
        let ended = match rule.status {
            status if status.in_force() && is_stopped => Some(("stopped".to_owned(), None)),
            status if status.in_force() => None,
            ProposalStatus::Retired | ProposalStatus::RolledBack => Some(ended(rule)),
            // It was never in force.
            _ => continue,
        };
        let gates: BTreeSet<String> = match ended {
            Some(_) => BTreeSet::new(),
            None => {
                let lines = queries.feedback_lines(&rule.created_from_feedback_ids)?;
                lines.iter().map(|line| line.gate.to_string()).collect()
            }
        };
        let known = RuleFacts {
            remarks: rule.evidence_count,
            reviewers: rule.reviewers.len(),
            gates: gates.into_iter().collect(),
            approved_by: rule.approvals.iter().map(|approval| approval.reviewer_id.clone()).collect(),
            ended,
        };
        facts.insert(rule.proposal_id.clone(), known);
    }
    Ok(RulePullRequest { section, facts })
}

/// Returns how it left force, and why.
fn ended(rule: &ProposalRecord) -> (String, Option<String>) {
    let on = rule.ended_at.map(|at| format!(" on {}", day(at))).unwrap_or_default();
    (format!("{}{on}", rule.status.told()), rule.reason.clone())
}
