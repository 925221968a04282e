//! Consequences of measuring: flagged rules, proposals to retire or to check by a tool, gaps and weekly reports.
//!
//! Retirement is proposed to people, never carried out automatically (specification, "Rules").

use super::commands::{command, hold_rule};
use super::numbers::file;
use crate::domain::clusters::evaluation::ActionType;
use crate::domain::records::layout;
use crate::domain::records::record::{
    AlertKind, AlertRecord, GapFigures, ProposalRecord, ProposalStatus, RuleType, Scope, StoredRecord,
};
use crate::domain::reporting::report::GapAgent;
use crate::domain::rules::draft::proposal::{INSERTION_POINT, title_of};
use crate::domain::rules::in_force::effect::EffectVerdict;
use crate::domain::rules::lifecycle::rule::Command;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::{PipelineError, RejectionExt};
use crate::reports::effectiveness::RuleEffect;
use crate::reports::report;
use crate::reports::report::Weekly;
use crate::text::ids::short_hash;
use std::collections::HashMap;
use std::sync::Arc;

/// The number of corrections despite a delivered rule after which a check is proposed instead of rewording.
const BROKEN: usize = 3;

/// The measurements.
pub(crate) struct RuleMeasurements {
    /// The effect of each rule in force.
    pub rules: Vec<RuleEffect>,
    /// The report of the last completed week, unless it was already checked.
    pub weekly: Option<Weekly>,
}

/// Applies the measurements.
pub(crate) fn judge_rules(draft: &mut Draft<'_>, measured: &RuleMeasurements) -> Result<(), PipelineError> {
    let effects: HashMap<String, f64> =
        measured.rules.iter().map(|rule| (rule.rule_id.clone(), rule.assessment.effect)).collect();
    draft.memory.effects = Arc::new(effects);
    for rule in &measured.rules {
        judge_rule(draft, rule)?;
    }
    draft.memory.measured_at = Some(draft.now);
    // If there was nothing to report yet, late entries may still add something.
    let Some(weekly) = &measured.weekly else { return Ok(()) };
    draft.memory.reported = report::weekly_path(draft.now);
    for gap in &weekly.gaps {
        raise_gap(draft, gap)?;
    }
    if !draft.stands(&weekly.path)? {
        draft.texts.insert(weekly.path.clone(), weekly.text.clone());
        draft.counts.rule_events.push("write the weekly report".to_owned());
    }
    Ok(())
}

fn judge_rule(draft: &mut Draft<'_>, effect: &RuleEffect) -> Result<(), PipelineError> {
    let id = effect.rule_id.as_str();
    let Some(rule) = draft.memory.rule(id).map(|r| r.record.clone()) else { return Ok(()) };
    let (verdict, why) = (effect.assessment.verdict, &effect.assessment.explained);
    // People who decided to keep a rule are not asked again right away.
    let asked_lately = rule
        .history
        .iter()
        .any(|event| event.event == "cleared" && draft.now.duration_since(event.at) < draft.settings.rules.cool_down);
    let asks = verdict.flags() && rule.status == ProposalStatus::Active && !asked_lately;
    // A rule whose file cannot be read is left unchanged: proposing its end each time would help no one.
    if asks && hold_rule(draft, id).unless_refused()?.is_some() {
        let question = about(draft, &rule, ActionType::RetireRule, effect);
        let proposal = file(draft, question)?;
        let flag = Command::Flag { reason: why.clone(), proposal: Some(proposal) };
        if command(draft, id, &flag, draft.now).unless_refused()?.is_some() {
            draft.counts.rule_events.push(format!("flag {id}"));
        }
    }
    if verdict == EffectVerdict::Helps && rule.status == ProposalStatus::Flagged {
        if let Some(proposal) = rule.flag.as_ref().and_then(|flag| flag.proposal.clone()) {
            let withdraw = Command::Withdraw { reason: format!("{id} helps after all: {why}") };
            command(draft, &proposal, &withdraw, draft.now).unless_refused()?;
        }
        let clear = Command::Clear { reason: why.clone() };
        if command(draft, id, &clear, draft.now).unless_refused()?.is_some() {
            draft.counts.rule_events.push(format!("clear the flag of {id}"));
        }
    }
    let settled =
        !matches!(verdict, EffectVerdict::Stabilizing | EffectVerdict::TooFewExposures | EffectVerdict::Helps);
    if settled && effect.still_broken.len() >= BROKEN && !has_check(draft, id) {
        let check = about(draft, &rule, ActionType::AddCheck, effect);
        file(draft, check)?;
    }
    Ok(())
}

/// Reports whether a check for a rule was proposed and not rejected long ago.
fn has_check(draft: &Draft<'_>, id: &str) -> bool {
    draft.memory.rules().map(|r| &r.record).any(|r| {
        let ended = r.ended_at.is_some_and(|at| draft.now.duration_since(at) >= draft.settings.rules.cool_down);
        r.action_type == ActionType::AddCheck && r.target_rule.as_deref() == Some(id) && !ended
    })
}

/// Creates a proposal about a rule in force.
fn about(draft: &Draft<'_>, rule: &ProposalRecord, action: ActionType, effect: &RuleEffect) -> ProposalRecord {
    let id = &rule.proposal_id;
    let broken = &effect.still_broken;
    let (content, summary) = match action {
        ActionType::AddCheck => (
            format!(
                "Check with a tool before the gate what {id} asks for in words: {} Fail the gate if it is not met.",
                rule.rule_content
            ),
            format!(
                "{id} is in the prompts of {}, but {} later decisions asked for the same. More words will not help.",
                rule.affected_agents.join(", "),
                broken.len()
            ),
        ),
        _ => (
            format!("Retire {id} (“{}”).", rule.rule_content),
            format!("{} {}", effect.assessment.explained, "Approve to take it out of force; reject to keep it."),
        ),
    };
    ProposalRecord {
        title: title_of(&content),
        action_type: action,
        rule_type: RuleType::Constraint,
        rule_content: content,
        insertion_point: INSERTION_POINT.to_owned(),
        classification_confidence: 1.0,
        raw_confidence: None,
        evidence_summary: summary,
        evidence_count: broken.len() as u64,
        created_from_feedback_ids: broken.clone(),
        // People who asked for the rule may decide on it.
        reviewers: Vec::new(),
        // The cluster belongs to the rule itself.
        cluster_id: String::new(),
        merged_clusters: Vec::new(),
        dissent: Vec::new(),
        conflicts: Vec::new(),
        consolidates: Vec::new(),
        card: None,
        pattern_since: None,
        scope: Scope::default(),
        target_rule: Some(id.clone()),
        created_at: draft.now,
        ..rule.clone()
    }
}

fn raise_gap(draft: &mut Draft<'_>, gap: &GapAgent) -> Result<(), PipelineError> {
    let month = draft.now.strftime("%Y-%m").to_string();
    let alert_id = format!("gap-{}-{month}", short_hash(&[&gap.agent]));
    let path = layout::alert(AlertKind::CapabilityGap, draft.now, &alert_id);
    if draft.stands(&path)? {
        return Ok(());
    }
    let active = draft.memory.in_force(&draft.settings.capture.tenant, &gap.agent).count() as u64;
    let days = crate::domain::reporting::report::GAP_DAYS;
    let record = AlertRecord {
        schema: AlertRecord::SCHEMA.to_owned(),
        alert_id,
        tenant_id: draft.settings.capture.tenant_id(),
        kind: AlertKind::CapabilityGap,
        agent: gap.agent.clone(),
        message: format!(
            "{} of {} decisions about {} in the last {days} days were corrections, and they ask for {} different \
             things; rules will not fix that.",
            gap.share.part, gap.share.of, gap.agent, gap.themes
        ),
        figures: Some(GapFigures {
            decisions: gap.share.of,
            corrections: gap.share.part,
            days: u32::try_from(days).unwrap_or(u32::MAX),
            active_rules: active,
            themes: gap.themes,
        }),
        about: None,
        details: Vec::new(),
        raised_at: draft.now,
    };
    draft.counts.rule_events.push(format!("raise a capability gap of {}", gap.agent));
    draft.staging.put_at(path, record);
    Ok(())
}
