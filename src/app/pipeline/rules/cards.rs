//! The cards of a batch: what a proposal's reviewers should know, replayed over past comments (specification, "Rules").

use super::commands::hold_rule;
use crate::domain::clusters::{Member, MemberKey};
use crate::domain::records::record::{Card, DecisionRecord, ProposalRecord, Registered};
use crate::domain::rules::draft::proposal;
use crate::domain::rules::in_force::prompt;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::{PipelineError, RejectionExt};
use crate::pipeline::working_set::RuleEntry;
use crate::text::redact;
use crate::text::verdict::Verdict;
use std::collections::BTreeSet;

/// Number of examples on a card.
const EXAMPLES: usize = 5;

/// For how many comments a card lists removed characters: each requires reading a file.
const LOOKED_AT: usize = 20;

/// Updates the cards of open proposals if something changed for their agents.
pub(crate) fn refresh_cards(draft: &mut Draft<'_>) -> Result<(), PipelineError> {
    let stale = std::mem::take(&mut draft.marks.stale_cards);
    let concerned: Vec<String> = draft
        .memory
        .rules()
        .filter(|r| r.is_living() && r.record.status.is_open())
        .filter(|r| stale.iter().any(|(tenant, agent)| r.concerns(tenant, agent)))
        .map(|r| r.record.proposal_id.clone())
        .collect();
    for id in concerned {
        let Some(entry) = draft.memory.rule(&id) else { continue };
        // Replaying searches all comments, so it is done only when the proposal itself changes. For the others only the
        // rule to be displaced is updated.
        let card = match &entry.record.card {
            Some(card) if !draft.changed_rules.contains_key(&id) => {
                let weakest = weakest(draft, &entry.record);
                if weakest.as_ref().map(|(id, _)| id) == card.displaces.as_ref() {
                    continue;
                }
                let (displaces, displaces_because) = weakest.unzip();
                Some(Card { displaces, displaces_because, ..card.clone() })
            }
            _ => Some(card(draft, entry)?),
        };
        if entry.record.card != card && hold_rule(draft, &id).unless_refused()?.is_some() {
            draft.memory.put_card(&id, card);
        }
    }
    draft.marks.stale_cards.clear();
    Ok(())
}

fn card(draft: &Draft<'_>, entry: &RuleEntry) -> Result<Card, PipelineError> {
    let record = &entry.record;
    let tenant = record.tenant_id.clone().unwrap_or_default();
    let (evaluator, groups) = (draft.evaluator(), &draft.memory.remarks.groups);
    let (mut asking, mut opposing) = (BTreeSet::new(), BTreeSet::new());
    let (mut corrections, mut approvals) = (0, 0);
    for agent in &record.affected_agents {
        let verdicts = draft.memory.verdicts.get(&(tenant.clone(), agent.clone())).copied().unwrap_or_default();
        corrections += verdicts.corrections;
        approvals += verdicts.approvals;
        if let Some(vector) = &entry.known.vector {
            let likes = evaluator.like(&tenant, agent, entry.known.pointing(), vector)?;
            asking.extend(likes.asking);
            opposing.extend(likes.opposing);
        }
    }
    for cluster in record.clusters().filter_map(|id| groups.find_cluster(id)) {
        asking.extend(groups.cluster(cluster).members.iter().copied());
    }
    let member = |key: &MemberKey| -> &Member { groups.member(*key) };
    // A comment asking the opposite is not a case for the rule, and an approval asking it counts against the rule.
    let would_apply: Vec<&Member> = asking.iter().map(member).filter(|m| in_scope(record, m)).collect();
    // A contradiction that came with requested changes does not count.
    let against = opposing.iter().map(member).filter(|m| m.verdict == Verdict::Approved && in_scope(record, m));
    let wrongly: Vec<&Member> = against.collect();
    // An approval that makes a demand counts as a correction elsewhere; here it counts as an approval.
    let against = wrongly.len() as u64;
    let (corrections, approvals) = (corrections.saturating_sub(against), approvals + against);
    let (displaces, displaces_because) = weakest(draft, record).unzip();
    Ok(Card {
        prompt_text: prompt::line_of(record),
        corrections: corrections.max(would_apply.len() as u64),
        would_apply: would_apply.len() as u64,
        would_apply_to: examples(&would_apply),
        approvals,
        would_fire_wrongly: wrongly.len() as u64,
        would_fire_wrongly_on: examples(&wrongly),
        removed: removed(draft, record)?,
        displaces,
        displaces_because,
    })
}

/// Returns the invisible characters that were removed from a proposal's text and its first comments.
fn removed(draft: &Draft<'_>, record: &ProposalRecord) -> Result<Vec<String>, PipelineError> {
    let own = redact::removed(&proposal::told(record)).into_iter();
    let mut found: Vec<String> = own.map(|point| format!("{point} (its text)")).collect();
    let groups = &draft.memory.remarks.groups;
    let members =
        record.clusters().filter_map(|id| groups.find_cluster(id)).flat_map(|key| &groups.cluster(key).members);
    for member in members.take(LOOKED_AT).map(|key| groups.member(*key)) {
        let told = |decision: &DecisionRecord| {
            let points = decision.feedback.redacted.iter().filter(|kind| kind.starts_with("U+"));
            points.map(|point| format!("{point} ({})", member.id)).collect::<Vec<_>>()
        };
        found.extend(match draft.staging.get::<DecisionRecord>(&member.path) {
            Some(decision) => told(decision),
            None => draft
                .load::<DecisionRecord>(&member.path)?
                .and_then(|k| DecisionRecord::of(&k.record).map(told))
                .unwrap_or_default(),
        });
    }
    Ok(found)
}

/// Returns the rule that a proposal would displace: for the first agent without room, the rule with the lowest measured
/// effect, then the oldest (specification, "Rules").
fn weakest(draft: &Draft<'_>, record: &ProposalRecord) -> Option<(String, String)> {
    if !record.action_type.enters_prompt() {
        return None;
    }
    let tenant = record.tenant_id.as_deref().unwrap_or_default();
    let max = draft.settings.rules.max_active;
    let stays = |r: &&RuleEntry| !record.consolidates.contains(&r.record.proposal_id);
    let agent =
        record.affected_agents.iter().find(|a| draft.memory.in_force(tenant, a).filter(stays).count() >= max)?;
    let effect = |r: &RuleEntry| draft.memory.effects.get(&r.record.proposal_id).copied();
    let weakest = draft.memory.in_force(tenant, agent).filter(stays).min_by(|a, b| {
        let by_effect = effect(a).unwrap_or(0.0).total_cmp(&effect(b).unwrap_or(0.0));
        let age = |r: &RuleEntry| (r.record.activated_at, r.record.proposal_id.clone());
        by_effect.then_with(|| age(a).cmp(&age(b)))
    })?;
    let why = match effect(weakest) {
        Some(effect) => format!(
            "{agent} has no room for more than {max}, and this rule has its lowest measured effect ({effect:.2} \
             corrections saved per decision)"
        ),
        None => format!(
            "{agent} has no room for more than {max}, none of its rules has a lower measured effect, and this is the \
             oldest of them"
        ),
    };
    Some((weakest.record.proposal_id.clone(), why))
}

fn in_scope(record: &ProposalRecord, member: &Member) -> bool {
    record.scope.gates.is_empty() || record.scope.gates.contains(&member.gate)
}

fn examples(members: &[&Member]) -> Vec<String> {
    members.iter().take(EXAMPLES).map(|m| m.id.clone()).collect()
}
