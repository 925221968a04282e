//! `GET /rules/pending`: the proposals pending review.

use super::call::{Call, refused, tell};
use super::shapes::{Evidence, Impact, PendingRules, RuleProposal, RuleStatus};
use crate::api::request::{Parameter, bad, query};
use crate::app::queries::{Queries, QueryError};
use crate::app::rules::impact::Impacts;
use crate::domain::records::record::{ProposalRecord, ProposalStatus, RuleState};
use crate::problem::Problem;
use crate::text::prose::line;
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use std::sync::Arc;

/// Maximum number of comments shown per proposal.
const REMARKS: usize = 5;
/// Maximum length of a comment, in characters.
const REMARK: usize = 300;
const PARAMETERS: [Parameter; 4] = [
    Parameter::new("agent", "only those for this agent"),
    Parameter::new("ruleType", "only those of this type"),
    Parameter::new("minConfidence", "only those with at least this confidence, 0 to 1"),
    Parameter::new("limit", "maximum number of items"),
];

/// `GET /rules/pending`
pub fn pending(call: &Call<'_>) -> Result<Vec<u8>, Problem> {
    let asked = query(&call.query, &PARAMETERS)?;
    let rule_type = match asked.get("ruleType") {
        None => None,
        Some(word) => Some(
            serde_json::from_value(serde_json::Value::from(word.to_ascii_uppercase()))
                .map_err(|_| bad("`ruleType` is NEGATIVE_EXAMPLE, POSITIVE_EXAMPLE, GUIDELINE or CONSTRAINT"))?,
        ),
    };
    let at_least: f64 = match asked.get("minConfidence") {
        None => 0.0,
        Some(number) => number
            .parse()
            .ok()
            .filter(|number| (0.0..=1.0).contains(number))
            .ok_or_else(|| bad("`minConfidence` must be a number from 0 to 1"))?,
    };
    let limit = match asked.get("limit") {
        None => usize::MAX,
        Some(number) => {
            number.parse().ok().filter(|limit| *limit > 0).ok_or_else(|| bad("`limit` must be a number, 1 or more"))?
        }
    };
    let agent = asked.get("agent");
    let all = all(call).map_err(refused)?;
    let fits = |rule: &&RuleProposal| {
        agent.is_none_or(|agent| rule.affected_agents.contains(agent))
            && rule_type.is_none_or(|rule_type| rule.rule_type == rule_type)
            && rule.confidence >= at_least
    };
    let fitting: Vec<&RuleProposal> = all.iter().filter(fits).collect();
    tell(&PendingRules { rules: &fitting[..limit.min(fitting.len())], total: fitting.len() })
}

/// Returns all pending proposals, latest first.
fn all(call: &Call<'_>) -> Result<Arc<Vec<RuleProposal>>, QueryError> {
    let channels = &call.services.channels;
    let now = channels.clock.now();
    channels.ask(|c| {
        let commit = c.queries.index.commit()?;
        call.ui.listed.at((), commit, || made(&c.queries, call.services.asked.min_approvals, now))
    })
}

fn made(queries: &Queries<'_>, min_approvals: u32, now: Timestamp) -> Result<Vec<RuleProposal>, QueryError> {
    let waiting = queries.proposals(Some(RuleState::Proposed), None)?.into_iter().map(|file| file.record);
    let waiting: Vec<ProposalRecord> = waiting.filter(|record| record.status == ProposalStatus::Pending).collect();
    let impacts = Impacts::load(queries.index, &waiting, now)?;
    waiting
        .into_iter()
        .map(|record| Ok(shown(evidence(queries, &record, &impacts, min_approvals)?, record, &impacts)))
        .collect()
}

fn shown(evidence: Vec<Evidence>, record: ProposalRecord, impacts: &Impacts) -> RuleProposal {
    let impact = impacts.of(&record);
    let approvals = record.approvals.iter().filter(|approval| approval.content_hash == record.content_hash);
    let last = approvals.clone().map(|approval| approval.at).max();
    let by: Vec<&str> = approvals.map(|approval| approval.reviewer_id.as_str()).collect();
    let text = record.card.as_ref().map(|card| card.prompt_text.trim()).filter(|text| !text.is_empty());
    RuleProposal {
        description: text.unwrap_or(&record.rule_content).to_owned(),
        proposed_by: record.earlier_versions.last().map_or("feedbackd", |earlier| &earlier.replaced_by).to_owned(),
        proposed_at: record.version_at.unwrap_or(record.created_at),
        evidence_count: record.evidence_count,
        evidence,
        impact: Impact {
            // One decimal already exceeds the estimate's accuracy.
            estimated_reduction_percent: (impact.share() * 1_000.0).round() / 10.0,
            affected_gates_count: impact.gates.len(),
            risk_level: impact.risk.level,
        },
        status: RuleStatus::from(record.status),
        confidence: record.classification_confidence,
        rule_type: record.rule_type,
        approved_at: last,
        approved_by: Some(by.join(", ")).filter(|by| !by.is_empty()),
        id: record.proposal_id,
        title: record.title,
        affected_agents: record.affected_agents,
        rule_content: record.rule_content,
        feedback_ids: record.created_from_feedback_ids,
        content_hash: record.content_hash,
    }
}

/// Returns what a reviewer should know. The UI shows only this and the text of a proposal.
fn evidence(
    queries: &Queries<'_>,
    record: &ProposalRecord,
    impacts: &Impacts,
    min_approvals: u32,
) -> Result<Vec<Evidence>, QueryError> {
    let mut found = Vec::new();
    let mut say = |kind: &'static str, description: String| found.push(Evidence { kind, description });
    let approvals = record.approvals.iter().filter(|approval| approval.content_hash == record.content_hash);
    let by: Vec<&str> = approvals.map(|approval| approval.reviewer_id.as_str()).collect();
    if !by.is_empty() {
        say("approval", format!("Approved by {}; {min_approvals} people are needed.", by.join(" and ")));
    }
    if record.version > 1 {
        say("version", format!("This is version {}; approvals of earlier ones do not count.", record.version));
    }
    say("pattern", record.evidence_summary.clone());
    if let Some(why) = &record.why {
        say("why", why.clone());
    }
    for id in record.created_from_feedback_ids.iter().take(REMARKS) {
        let Some(feedback) = queries.index.feedback(id)?.filter(|feedback| !feedback.text.is_empty()) else { continue };
        let kind = match feedback.verdict {
            Verdict::Rejected => "rejection",
            Verdict::ApprovedWithChanges => "change",
            Verdict::Approved => "approval with a demand",
        };
        say(kind, format!("{} at {}: {}", feedback.reviewer, feedback.gate, line(&feedback.text, REMARK)));
    }
    for id in record.dissent.iter().take(REMARKS) {
        let text = queries.index.feedback(id)?.map(|feedback| line(&feedback.text, REMARK));
        say("dissent", format!("{id} asks for the opposite: {}", text.unwrap_or_default()));
    }
    for conflict in &record.conflicts {
        say("conflict", format!("{}: {}", conflict.with, conflict.reason));
    }
    say("risk", impacts.of(record).risk.why());
    if let Some(card) = &record.card {
        if let Some(leaves) = &card.displaces {
            say(
                "leaves",
                format!("{leaves} would be removed for it: {}", card.displaces_because.as_deref().unwrap_or_default()),
            );
        }
        if !card.removed.is_empty() {
            say("hidden characters", format!("Removed: {}.", card.removed.join(", ")));
        }
    }
    Ok(found)
}
