//! What happens to rules in a batch: commands applied, room made, cards kept current, deadlines enforced.
//!
//! The working set has the present rule; the staging keeps the store's previous version.

use super::approval_count::count_now;
use crate::domain::clusters::evaluation::ActionType;
use crate::domain::records::layout;
use crate::domain::records::record::{ProposalRecord, ProposalStatus, Refusal, RefusalCode};
use crate::domain::rules::lifecycle::approvals::Recount;
use crate::domain::rules::lifecycle::rule;
use crate::domain::rules::lifecycle::rule::{Command, Transition};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::{PipelineError, RejectionExt, Stop, refuse};
use crate::pipeline::working_set::RuleEntry;
use jiff::Timestamp;

/// Applies a command to a rule. A rejection states why the rule is unchanged.
pub(crate) fn command(draft: &mut Draft<'_>, id: &str, command: &Command, at: Timestamp) -> Result<Transition, Stop> {
    let Some(entry) = draft.memory.rule(id) else { return Err(unknown(id).into()) };
    let was_in_force = entry.record.status.in_force();
    // Most time-driven commands change nothing, so the file need not be read.
    let done = rule::transition(&entry.record, command, &draft.memory.roster, &draft.settings.terms, at)?;
    hold_rule(draft, id)?;
    put_rule(draft, done.after.clone())?;
    if was_in_force && !done.after.status.in_force() {
        withdraw_questions(draft, id, at)?;
    }
    Ok(done)
}

/// Makes a rule wait for its missing approvals. Returns what happened, in words.
pub(crate) fn set_aside(draft: &mut Draft<'_>, id: &str, count: &Recount) -> Result<Option<String>, PipelineError> {
    let command_given = Command::SetAside { reason: count.missing.clone(), valid: count.review_ids() };
    let Some(done) = command(draft, id, &command_given, draft.now).unless_refused()? else { return Ok(None) };
    tracing::warn!(rule = id, missing = count.missing, void = ?count.void, "a rule is not in force: too few valid approvals");
    draft.counts.rule_events.push(format!("set {id} aside"));
    Ok(Some(done.effect))
}

/// Withdraws open questions about a rule that is no longer in force.
fn withdraw_questions(draft: &mut Draft<'_>, id: &str, at: Timestamp) -> Result<(), PipelineError> {
    let asks = |r: &&RuleEntry| r.record.status.is_open() && r.record.target_rule.as_deref() == Some(id);
    let open: Vec<String> = draft.memory.rules().filter(asks).map(|r| r.record.proposal_id.clone()).collect();
    for question in open {
        let withdraw = Command::Withdraw { reason: format!("{id} is no longer in force") };
        if command(draft, &question, &withdraw, at).unless_refused()?.is_some() {
            draft.counts.rule_events.push(format!("withdraw {question}"));
        }
    }
    Ok(())
}

/// Loads the stored version before a rule is changed.
pub(crate) fn hold_rule(draft: &mut Draft<'_>, id: &str) -> Result<(), Stop> {
    if draft.changed_rules.contains_key(id) {
        return Ok(());
    }
    let Some(entry) = draft.memory.rule(id) else { return Err(unknown(id).into()) };
    let path = entry.path.clone();
    let known = match draft.outside.recent.file(&path) {
        Some(known) => Some(known.clone()),
        None => draft.load::<ProposalRecord>(&path)?,
    };
    let Some(known) = known else {
        let message = format!("{path} cannot be read; fix it or remove it");
        return refuse(RefusalCode::UnknownId, message);
    };
    draft.staging.hold(path.clone(), known);
    draft.changed_rules.insert(id.to_owned(), Some(path));
    Ok(())
}

/// Stores a rule's new state.
pub(crate) fn put_rule(draft: &mut Draft<'_>, record: ProposalRecord) -> Result<(), PipelineError> {
    let path = layout::rule(&record.proposal_id, record.status);
    for agent in &record.affected_agents {
        let tenant = record.tenant_id.clone().unwrap_or_default();
        draft.marks.stale_cards.insert((tenant, agent.clone()));
    }
    Ok(draft.memory.put_rule(&path, record, draft.outside.understanding.as_ref())?)
}

/// Brings an approved proposal into force if there is room, or if the rule that its card names may be displaced.
/// `named` tells whether the approvers knew which rule the card names. Returns what happened, in words.
pub(crate) fn activate(
    draft: &mut Draft<'_>,
    id: &str,
    named: bool,
    at: Timestamp,
) -> Result<Option<String>, PipelineError> {
    let Some(entry) = draft.memory.rule(id) else { return Ok(None) };
    if entry.record.status != ProposalStatus::Approved || !entry.path.starts_with(layout::PROPOSED) {
        return Ok(None);
    }
    let record = entry.record.clone();
    // The approvals in the file are not trusted: anyone who can push can write them.
    let count = count_now(draft, &record);
    if !count.is_met() {
        return set_aside(draft, id, &count);
    }
    if record.action_type == ActionType::RetireRule {
        return carry_out_retirement(draft, &record, at).map(Some);
    }
    let mut leaving: Vec<(String, String)> = Vec::new();
    if record.action_type.enters_prompt() {
        for other in &record.consolidates {
            leaving.push((other.clone(), format!("{id} covers it as well")));
        }
        let gone: Vec<&str> = record.consolidates.iter().map(String::as_str).collect();
        let full = full_agents(draft, &record, &gone);
        let displaced = record.card.as_ref().and_then(|card| card.displaces.clone()).filter(|_| named);
        if !full.is_empty() {
            let Some(displaced) = displaced.filter(|d| is_in_force(draft, d)) else { return Ok(None) };
            let mut gone = gone;
            gone.push(&displaced);
            if !full_agents(draft, &record, &gone).is_empty() {
                return Ok(None);
            }
            let why = record.card.as_ref().and_then(|card| card.displaces_because.clone()).unwrap_or_default();
            leaving.push((displaced, format!("{id} replaced it: {why}")));
        }
    }
    let Some(done) = command(draft, id, &Command::Activate, at).unless_refused()? else { return Ok(None) };
    draft.counts.rule_events.push(format!("activate {id} for {}", record.affected_agents.join(", ")));
    let mut effect = done.effect;
    for (other, reason) in leaving {
        let retire = Command::Retire { by: None, reason: Some(reason) };
        if let Some(gone) = command(draft, &other, &retire, at).unless_refused()? {
            draft.counts.rule_events.push(format!("retire {other}"));
            effect = format!("{effect}; {}", gone.effect);
        }
    }
    Ok(Some(effect))
}

/// Carries out an approved proposal to retire a rule: both are closed.
fn carry_out_retirement(
    draft: &mut Draft<'_>,
    proposal: &ProposalRecord,
    at: Timestamp,
) -> Result<String, PipelineError> {
    let id = proposal.proposal_id.as_str();
    let target = proposal.target_rule.clone().unwrap_or_default();
    // Settled before its rule leaves, since that withdraws the open questions.
    command(draft, id, &Command::Activate, at).unless_refused()?;
    let retire = Command::Retire { by: None, reason: Some(format!("people approved {id}: {}", proposal.title)) };
    let effect = match command(draft, &target, &retire, at) {
        Ok(done) => {
            draft.counts.rule_events.push(format!("retire {target}"));
            done.effect
        }
        Err(Stop::Refused(refusal)) => refusal.message,
        Err(Stop::Failed(error)) => return Err(error),
    };
    let done = Command::Retire { by: None, reason: Some(format!("carried out: {effect}")) };
    command(draft, id, &done, at).unless_refused()?;
    Ok(effect)
}

/// Returns the agents of a rule that have no room for it even after some others have left.
fn full_agents(draft: &Draft<'_>, record: &ProposalRecord, leaving: &[&str]) -> Vec<String> {
    let tenant = record.tenant_id.as_deref().unwrap_or_default();
    let present = |agent: &str| {
        let stays = |r: &&RuleEntry| !leaving.contains(&r.record.proposal_id.as_str());
        draft.memory.in_force(tenant, agent).filter(stays).count()
    };
    record.affected_agents.iter().filter(|agent| present(agent) >= draft.settings.rules.max_active).cloned().collect()
}

fn is_in_force(draft: &Draft<'_>, id: &str) -> bool {
    draft.memory.rule(id).is_some_and(RuleEntry::in_force)
}

/// Clears the doubt about a rule whose retirement was rejected or came to nothing, until it is raised again.
pub(crate) fn keep_target(draft: &mut Draft<'_>, id: &str, why: &str, at: Timestamp) -> Result<(), PipelineError> {
    let Some(record) = draft.memory.rule(id).map(|r| r.record.clone()) else { return Ok(()) };
    if record.action_type == ActionType::RetireRule
        && let Some(target) = &record.target_rule
    {
        let reason = format!("{why} {id}: {}", record.reason.unwrap_or_default());
        command(draft, target, &Command::Clear { reason }, at).unless_refused()?;
    }
    Ok(())
}

pub(crate) fn unknown(id: &str) -> Refusal {
    let message = format!("there is no proposal or rule {id}; `feedbackd proposals list` names them");
    Refusal { code: RefusalCode::UnknownId, message }
}
