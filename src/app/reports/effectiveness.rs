//! What the rules in force achieved: their outcomes from the index, judged by the domain.
//!
//! Read-only and bounded. It flags nothing: the store's writer decides what follows.

use crate::domain::interval::CorrectionTally;
use crate::domain::records::record::{ProposalRecord, ProposalStatus};
use crate::domain::rules::in_force::effect::{Assessment, Comparison, EffectPolicy, Observation, assess, compare};
use crate::ports::{Index, IndexError, Outcome, OutcomeQuery};
use crate::queries::{Queries, QueryError, not_found};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Maximum number of violations in an answer.
pub const MAX_BROKEN: usize = 50;

/// How rules are measured, and on how much data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasurePolicy {
    /// How outcomes are judged.
    pub effect: EffectPolicy,
    /// Length of the period before activation for the earlier rate.
    pub before: SignedDuration,
    /// Maximum decisions before activation for each agent: the latest ones.
    pub most_before: usize,
    /// Maximum decisions after activation for each agent: the first ones.
    pub most_after: usize,
}

impl Default for MeasurePolicy {
    fn default() -> Self {
        MeasurePolicy {
            effect: EffectPolicy::default(),
            before: SignedDuration::from_hours(90 * 24),
            most_before: 2_000,
            most_after: 2_000,
        }
    }
}

/// A rule's effect (`rules effect`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleEffect {
    /// The rule.
    pub rule_id: String,
    /// Its version.
    pub version: u32,
    /// One-line title.
    pub title: String,
    /// Its agents; their decisions are counted together.
    pub agents: Vec<String>,
    /// `ACTIVE` or `FLAGGED`.
    pub status: ProposalStatus,
    /// When it came into force.
    pub activated_at: Timestamp,
    /// Before and after.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// Prompts with the rule against prompts without it, after stabilizing; absent if it was never held out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holdout: Option<Comparison>,
    /// Feedback after stabilizing that still asks for it, although the prompt included the rule: the latest
    /// [`MAX_BROKEN`], latest first.
    pub still_broken: Vec<String>,
}

/// Measures the rules in force that enter prompts; others are left out. The order is that of `rules`.
///
/// # Errors
/// If the index fails.
pub fn measure(
    index: &dyn Index,
    rules: &[ProposalRecord],
    policy: &MeasurePolicy,
    now: Timestamp,
) -> Result<Vec<RuleEffect>, IndexError> {
    let measured = |r: &&ProposalRecord| r.status.in_force() && r.action_type.enters_prompt();
    let mut rules = rules.iter().filter(measured).peekable();
    if rules.peek().is_none() {
        return Ok(vec![]);
    }
    let prompts = Prompts::read(index)?;
    let found = rules.filter_map(|rule| Some(one(index, rule, rule.activated_at?, &prompts, policy, now)));
    found.collect()
}

/// Returns each rule's measured effect by id, for the order in prompts; 0 if unknown.
///
/// # Errors
/// If the index fails.
pub fn effects(
    index: &dyn Index,
    rules: &[ProposalRecord],
    policy: &MeasurePolicy,
    now: Timestamp,
) -> Result<HashMap<String, f64>, IndexError> {
    let measured = measure(index, rules, policy, now)?.into_iter();
    Ok(measured.map(|rule| (rule.rule_id, rule.assessment.effect)).collect())
}

/// Returns the answer of `rules effect`: for all rules in force, those of one agent, or one rule.
///
/// # Errors
/// If there is no such rule in force, or the index fails.
pub fn answer(
    queries: &Queries<'_>,
    rule: Option<&str>,
    agent: Option<&str>,
    policy: &MeasurePolicy,
    now: Timestamp,
) -> Result<Vec<RuleEffect>, QueryError> {
    let mut rules: Vec<ProposalRecord> = queries.index.proposals()?.into_iter().map(|(_, record)| record).collect();
    rules.retain(|r| r.status.in_force() && r.action_type.enters_prompt() && r.activated_at.is_some());
    if let Some(id) = rule {
        if !rules.iter().any(|r| r.proposal_id == id) {
            return Err(not_found("rule in force", id, rules.iter().map(|r| r.proposal_id.as_str())));
        }
        rules.retain(|r| r.proposal_id == id);
    }
    rules.retain(|r| agent.is_none_or(|a| r.affected_agents.iter().any(|x| x == a)));
    Ok(measure(queries.index, &rules, policy, now)?)
}

fn one(
    index: &dyn Index,
    rule: &ProposalRecord,
    activated: Timestamp,
    prompts: &Prompts,
    policy: &MeasurePolicy,
    now: Timestamp,
) -> Result<RuleEffect, IndexError> {
    let earliest = activated.checked_sub(policy.before).unwrap_or(Timestamp::MIN);
    let (mut before, mut after) = (vec![], vec![]);
    for agent in &rule.affected_agents {
        let of = |since, until, latest_first, limit| OutcomeQuery {
            tenant: rule.tenant_id.clone().unwrap_or_default(),
            agent: agent.clone(),
            gates: rule.scope.gates.clone(),
            since: Some(since),
            until,
            latest_first,
            limit,
        };
        before.extend(index.outcomes(&of(earliest, Some(activated), true, policy.most_before))?);
        after.extend(index.outcomes(&of(activated, None, false, policy.most_after))?);
    }
    for outcomes in [&mut before, &mut after] {
        outcomes.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    }
    after.retain(|o| o.at <= now);

    let is_its = |o: &Outcome| {
        let is_rules = |c: &String| *c == rule.cluster_id || rule.merged_clusters.contains(c);
        o.is_correction && o.clusters.iter().any(is_rules)
    };
    let observed = |o: &Outcome| Observation { at: o.at, corrected: is_its(o), session: o.session.clone() };
    let without_it = |o: &&Outcome| prompts.arm(&rule.proposal_id, o) == Some(Arm::Without);
    let before: Vec<Observation> = before.iter().map(observed).collect();
    let exposed: Vec<Observation> = after.iter().filter(|o| !without_it(o)).map(observed).collect();
    let assessment = assess(&policy.effect, activated, now, &before, &exposed);

    let counts_from = activated.checked_add(policy.effect.stabilizing).unwrap_or(Timestamp::MAX);
    let settled: Vec<&Outcome> = after.iter().filter(|o| o.at >= counts_from).collect();
    let arm = |arm| {
        let in_it = settled.iter().filter(|o| prompts.arm(&rule.proposal_id, o) == Some(arm));
        CorrectionTally::of(in_it.map(|o| is_its(o)))
    };
    let (with, without) = (arm(Arm::With), arm(Arm::Without));
    let broken = settled.iter().rev().filter(|o| is_its(o) && !without_it(o));
    Ok(RuleEffect {
        rule_id: rule.proposal_id.clone(),
        version: rule.version,
        title: rule.title.clone(),
        agents: rule.affected_agents.clone(),
        status: rule.status,
        activated_at: activated,
        assessment,
        holdout: (without.decisions > 0).then(|| compare(with, without, policy.effect.confidence)),
        still_broken: broken.take(MAX_BROKEN).map(|o| o.id.clone()).collect(),
    })
}

/// A decision's side of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arm {
    With,
    Without,
}

/// Which sessions had which rule in a prompt and which went without it; only for rules that were ever held out.
struct Prompts {
    with: HashMap<String, HashSet<String>>,
    without: HashMap<String, HashSet<String>>,
}

impl Prompts {
    fn read(index: &dyn Index) -> Result<Prompts, IndexError> {
        let mut prompts = Prompts { with: HashMap::new(), without: HashMap::new() };
        // Usually nothing is held out, and then there is nothing to compare. Prompts are numerous.
        if !index.any_held_out()? {
            return Ok(prompts);
        }
        let injections = index.injections()?;
        // A rule that was never held out has nothing to be compared with, so most prompts need not be kept.
        let compared: HashSet<String> = injections.iter().flat_map(|(_, i)| &i.held_out).cloned().collect();
        for (_, injection) in injections {
            let Some(session) = injection.session_id else { continue };
            for rule in injection.rules.into_iter().filter(|rule| compared.contains(&rule.rule_id)) {
                prompts.with.entry(rule.rule_id).or_default().insert(session.clone());
            }
            for rule in injection.held_out {
                prompts.without.entry(rule).or_default().insert(session.clone());
            }
        }
        Ok(prompts)
    }

    /// `None` if the session is unknown or had both kinds of prompt.
    fn arm(&self, rule: &str, outcome: &Outcome) -> Option<Arm> {
        let session = outcome.session.as_deref()?;
        let has = |side: &HashMap<String, HashSet<String>>| side.get(rule).is_some_and(|s| s.contains(session));
        match (has(&self.with), has(&self.without)) {
            (true, false) => Some(Arm::With),
            (false, true) => Some(Arm::Without),
            _ => None,
        }
    }
}
