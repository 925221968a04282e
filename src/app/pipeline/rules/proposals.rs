//! Proposals of a batch: when and from what they are created, and what is added to pending ones.

use super::evidence::add_evidence;
use super::existing_guidance::said_elsewhere;
use super::numbers::file;
use super::wording;
use super::wording::{DraftError, RuleDraft};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::purity::Purity;
use crate::domain::clusters::{Cluster, ClusterKey};
use crate::domain::records::record::WAITS_FOR_PEOPLE;
use crate::domain::records::record::{ConflictReport, ProposalRecord, ProposalStatus, RuleType};
use crate::domain::rules::draft::proposal;
use crate::domain::rules::draft::proposal::{Draft as Wording, KnownRule, Relation, title_of};
use crate::domain::rules::draft::restate;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::pipeline::settings::Settings;
use crate::pipeline::working_set::comment_details::{diff_of, narrowed};
use crate::pipeline::working_set::{RuleEntry, WorkingSet};
use crate::text::language::specificity;
use jiff::Timestamp;

/// Prefix of the reason for a missing proposal if none of a pattern's comments yields a rule.
pub(crate) const NO_TEXT: &str = "No comment makes a rule";

/// The calibrated similarity from which two rules may be merged if there is no room for both.
const CONSOLIDATE_AT: f64 = 0.6;

/// Creates proposals for patterns that have none: at once if they are sure, otherwise when a batch is due.
pub(crate) fn offer_proposals(draft: &mut Draft<'_>, flush: bool) -> Result<(), PipelineError> {
    hold_back(draft);
    let curve = draft.memory.curve();
    let memory = &draft.memory.remarks.groups;
    let policy = &draft.memory.remarks.policy;
    // People's decisions on earlier proposals count too, not only the comments.
    let confidence = |c: &Cluster| curve.map_or_else(|| c.confidence(policy), |f| f.apply(c.confidence(policy)));
    let (sure, waiting): (Vec<_>, Vec<_>) = memory
        .clusters()
        .filter(|(key, c)| {
            // An available model checks a pattern first; patterns that people decided on need no check.
            let is_checked_first = draft.by_model.checks && !memory.is_peoples(*key);
            !is_checked_first && c.class(policy) == Classification::GeneralizableHigh && may_propose(draft, c)
        })
        .map(|(key, c)| (key, confidence(c) >= draft.settings.immediate_at))
        .partition(|(_, sure)| *sure);
    let since = *draft.memory.waiting_since.get_or_insert(draft.now);
    let due = flush
        || waiting.len() >= draft.settings.batch_count
        || draft.now.duration_since(since) >= draft.settings.batch_every;
    let chosen: Vec<ClusterKey> = sure.iter().chain(waiting.iter().filter(|_| due)).map(|(key, _)| *key).collect();
    if waiting.is_empty() || due {
        draft.memory.waiting_since = None;
    }
    for key in chosen {
        offer(draft, key, None)?;
    }
    add_evidence(draft)
}

/// Holds automatically formed patterns back for people if their answers imply that too few of these are right. Patterns
/// are released once the answers say otherwise, or a person states what belongs to one of them.
fn hold_back(draft: &mut Draft<'_>) {
    let least = draft.settings.min_purity;
    let why = draft.memory.judged.purity().filter(|purity| purity.is_below(least)).map(|purity| {
        let Purity { right, wrong, interval, .. } = purity;
        format!(
            "{WAITS_FOR_PEOPLE}: of {} clusters that people reviewed, {right} are right, a share of {:.2} to {:.2}, \
             below {least} (proposals.min_purity). `feedbackd clusters review` asks about it; `feedbackd clusters \
             sort` promotes it.",
            right + wrong,
            interval.low,
            interval.high,
        )
    });
    let (groups, policy) = (&draft.memory.remarks.groups, &draft.memory.remarks.policy);
    let mut changed = Vec::new();
    for (key, cluster) in groups.clusters() {
        let waits = cluster.not_proposed.as_deref().is_some_and(|why| why.starts_with(WAITS_FOR_PEOPLE));
        let by_itself = cluster.taught_by.is_none() && cluster.decided_by.is_none() && cluster.proposal.is_none();
        let must = why.is_some() && by_itself && cluster.class(policy) == Classification::GeneralizableHigh;
        if waits != must && (waits || cluster.not_proposed.is_none()) {
            changed.push((key, why.clone().filter(|_| must)));
        }
    }
    for (key, why) in changed {
        draft.memory.remarks.groups.cluster_mut(key).not_proposed = why;
        draft.marks.touched.insert(key);
    }
}

/// Reports whether a pattern may get a proposal: it has none, or its last one is closed and it is time for another.
fn may_propose(draft: &Draft<'_>, cluster: &Cluster) -> bool {
    if cluster.not_proposed.is_some() {
        return false;
    }
    may_propose_again(&draft.memory, draft.settings, draft.now, cluster)
}

/// Reports whether a pattern has no proposal, or its last one is closed and it is time for another.
pub(crate) fn may_propose_again(memory: &WorkingSet, settings: &Settings, now: Timestamp, cluster: &Cluster) -> bool {
    let Some(id) = &cluster.proposal else { return true };
    let Some(last) = memory.rule(id) else { return true };
    let (record, evidence) = (&last.record, cluster.tied());
    let ended = record.ended_at.unwrap_or(record.created_at);
    let doubled = evidence >= record.evidence_count.saturating_mul(2).max(2);
    match record.status {
        ProposalStatus::Expired => evidence > record.evidence_count,
        ProposalStatus::Rejected | ProposalStatus::Retired | ProposalStatus::RolledBack => {
            let cooled = now.duration_since(ended) >= settings.rules.cool_down;
            // The same evidence was found insufficient; time alone does not improve it.
            doubled || (cooled && evidence > record.evidence_count)
        }
        _ => false,
    }
}

/// Creates a proposal for a cluster, or adds the cluster to an equivalent one. `worded` is its text, if given.
fn offer(draft: &mut Draft<'_>, key: ClusterKey, worded: Option<Wording>) -> Result<(), PipelineError> {
    let remarks = &draft.memory.remarks;
    let Some(example) = remarks.groups.representatives(key, 1).into_iter().next() else { return Ok(()) };
    let (tenant, agent) = (example.tenant.clone(), example.agent.clone());
    if !may_open(draft, &tenant, &agent) {
        // It waits until people have decided some of the open ones.
        return Ok(());
    }
    if worded.is_none() && !is_shown(draft, key) {
        turn_away(draft, key, UNSHOWN.to_owned());
        return Ok(());
    }
    let dissent = draft.evaluator().dissent(example)?;
    let mut drafted = match draft_rule(draft, key, worded) {
        Ok(drafted) => drafted,
        Err(DraftError::Unfit(why)) => {
            turn_away(draft, key, format!("{NO_TEXT}: {why}"));
            return Ok(());
        }
        Err(DraftError::Failed(error)) => return Err(error.into()),
    };
    let known = draft.memory.rules_for(&tenant, std::slice::from_ref(&agent));
    let conflicts = match proposal::relate(&drafted.known, &known, &remarks.policy, &draft.settings.thresholds) {
        Relation::Duplicate(id) => {
            draft.marks.touched.insert(key);
            draft.memory.remarks.groups.set_proposal(key, id);
            return Ok(());
        }
        Relation::New(conflicts) => conflicts,
    };
    if let Some(why) = needless(draft, key, &drafted.known, &tenant, &agent) {
        turn_away(draft, key, why);
        return Ok(());
    }
    let consolidates =
        if drafted.action_type.enters_prompt() { consolidate(draft, &mut drafted, &tenant, &agent) } else { None };
    let mut record = propose(draft, key, &drafted, conflicts, consolidates);
    record.dissent = dissent;
    let id = file(draft, record)?;
    draft.memory.remarks.groups.set_proposal(key, id);
    draft.memory.remarks.groups.cluster_mut(key).not_proposed = None;
    draft.marks.touched.insert(key);
    // Comments written in this batch anyway name the proposal; older ones find it through their cluster.
    Ok(())
}

/// The outcome for a rule that a person or a model worded for a cluster.
pub(crate) enum WordingOutcome {
    /// The cluster now has this proposal: its own or an equivalent one.
    Proposed(String),
    /// It is not proposed, for this reason, which the cluster records.
    TurnedAway(String),
    /// Enough proposals are pending; the cluster is unchanged.
    NoRoom,
}

/// Proposes a rule in these words for a cluster that has none.
pub(crate) fn offer_worded(
    draft: &mut Draft<'_>,
    key: ClusterKey,
    title: String,
    content: String,
) -> Result<WordingOutcome, PipelineError> {
    let wording = Wording { title, content, rule_type: RuleType::Guideline, concern: None, why: None, example: None };
    let cluster = draft.memory.remarks.groups.cluster_mut(key);
    let (before, why) = (cluster.proposal.clone(), cluster.not_proposed.take());
    offer(draft, key, Some(wording))?;
    let cluster = draft.memory.remarks.groups.cluster_mut(key);
    if let Some(why) = &cluster.not_proposed {
        return Ok(WordingOutcome::TurnedAway(why.clone()));
    }
    match cluster.proposal.clone().filter(|new| before.as_ref() != Some(new)) {
        Some(id) => Ok(WordingOutcome::Proposed(id)),
        None => {
            cluster.not_proposed = why;
            Ok(WordingOutcome::NoRoom)
        }
    }
}

/// Why a pattern whose comments only seem to ask for the same has no rule.
const UNSHOWN: &str =
    "Its comments are similar, but none states clearly what it asks for. People can write a rule for it.";

/// Reports whether a pattern's demand is certain enough for a rule. Comments on code lean on their context, so cues
/// must show the demand in a good share of them. Clusters formed by people are trusted.
fn is_shown(draft: &Draft<'_>, key: ClusterKey) -> bool {
    let groups = &draft.memory.remarks.groups;
    let cluster = groups.cluster(key);
    let tied = groups.tied_members(key);
    let on_code = tied.iter().filter(|member| member.place.is_some() || member.language.is_some()).count();
    let shown = tied.iter().filter(|member| member.voiced.as_ref().is_some_and(|voiced| voiced.shown)).count();
    cluster.taught_by.is_some()
        || cluster.decided_by.is_some()
        || 2 * on_code < tied.len()
        || (shown >= LEAST_SHOWN && SHOWN_OF * shown >= tied.len())
}

/// Cues must show at least this many comments of a pattern, and one in this many.
const LEAST_SHOWN: usize = 2;
const SHOWN_OF: usize = 3;

/// Reports whether another proposal may be opened for an agent.
fn may_open(draft: &Draft<'_>, tenant: &str, agent: &str) -> bool {
    let open = |r: &&RuleEntry| r.is_living() && r.record.status.is_open() && r.concerns(tenant, agent);
    draft.memory.rules().filter(open).count() < draft.settings.rules.max_open
}

/// Drafts a cluster's rule, in the given words or in those of its comments.
fn draft_rule(draft: &Draft<'_>, key: ClusterKey, worded: Option<Wording>) -> Result<RuleDraft, DraftError> {
    let (groups, understanding) = (&draft.memory.remarks.groups, &draft.outside.understanding);
    match worded {
        Some(wording) => Ok(wording::worded(groups, key, understanding, wording)?),
        None => wording::draft(groups, key, understanding, &|member| diff_of(draft, member)),
    }
}

/// Returns why a rule is not proposed although there is no similar one: people rejected it, or the agent is instructed
/// elsewhere.
fn needless(draft: &Draft<'_>, key: ClusterKey, new: &KnownRule, tenant: &str, agent: &str) -> Option<String> {
    if let Some(id) = turned_down(draft, key, new, tenant, agent) {
        return Some(format!("People recently decided against {id}, which says the same."));
    }
    let elsewhere = said_elsewhere(draft, agent);
    let (calibration, at) = (&draft.memory.remarks.policy.calibration, draft.settings.thresholds.duplicate_at);
    let found = restate::restates(&new.content, new.vector.as_ref(), &elsewhere, calibration, at)?;
    Some(format!("“{}” {found}", new.content))
}

/// Creates the record of a cluster's proposal; it has no number yet.
fn propose(
    draft: &mut Draft<'_>,
    key: ClusterKey,
    drafted: &RuleDraft,
    conflicts: Vec<ConflictReport>,
    consolidates: Option<String>,
) -> ProposalRecord {
    let remarks = &draft.memory.remarks;
    let (cluster, members) = (remarks.groups.cluster(key), remarks.groups.tied_members(key));
    let wording = drafted.draft.clone();
    // What the other rule states everywhere must not be narrowed.
    let may_narrow = drafted.action_type.enters_prompt() && consolidates.is_none();
    let narrowed = if may_narrow { narrowed(draft, &wording.content, &members) } else { None };
    let mut record = proposal::propose(wording, cluster, &members, conflicts, &remarks.policy, narrowed, draft.now);
    record.consolidates = consolidates.into_iter().collect();
    drafted.classify(&mut record);
    if let Some(curve) = draft.memory.curve() {
        curve.recalibrate(&mut record);
    }
    record
}

/// Returns the rule for the same concern that people rejected, while its pattern is cooling down: a rejected rule must
/// not return under another cluster's name.
fn turned_down(draft: &Draft<'_>, key: ClusterKey, new: &KnownRule, tenant: &str, agent: &str) -> Option<String> {
    let concern = new.concern.as_ref()?;
    // Whether the cluster itself may have another one was checked before.
    let own = &draft.memory.remarks.groups.cluster(key).id;
    let cool_down = draft.settings.rules.cool_down;
    let turned_down = |r: &&RuleEntry| {
        let record = &r.record;
        let ended = record.ended_at.or(record.decided_at).unwrap_or(record.created_at);
        matches!(record.status, ProposalStatus::Rejected | ProposalStatus::Retired | ProposalStatus::RolledBack)
            && record.concern.as_ref() == Some(concern)
            && record.cluster_id != *own
            && r.concerns(tenant, agent)
            && draft.now.duration_since(ended) < cool_down
    };
    draft.memory.rules().find(turned_down).map(|r| r.record.proposal_id.clone())
}

/// Denies a pattern a proposal and records the reason in its cluster.
fn turn_away(draft: &mut Draft<'_>, key: ClusterKey, why: String) {
    draft.memory.remarks.groups.cluster_mut(key).not_proposed = Some(why);
    draft.marks.touched.insert(key);
}

/// If an agent has no room, proposes the new rule merged with a similar existing one, in its place: one rule for both
/// instead of displacing one (specification, "Rules"; specification, "Learning: Risks").
fn consolidate(draft: &Draft<'_>, drafted: &mut RuleDraft, tenant: &str, agent: &str) -> Option<String> {
    if draft.memory.in_force(tenant, agent).count() < draft.settings.rules.max_active {
        return None;
    }
    let (new, calibration) = (&drafted.known, &draft.memory.remarks.policy.calibration);
    let near = draft.memory.in_force(tenant, agent).filter_map(|rule| {
        let similarity = calibration.similarity(rule.known.vector.as_ref()?.cosine(new.vector.as_ref()?));
        let agrees = new.direction.agrees(rule.known.direction)
            && (new.opposite.is_none() || new.opposite != rule.known.concern);
        // What it tells other agents, or only in some places, must not change with it.
        let alone = rule.record.affected_agents.len() == 1 && rule.record.scope.is_everywhere();
        (agrees && alone && similarity >= CONSOLIDATE_AT).then_some((similarity, rule))
    });
    let (_, other) = near.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let both = format!("{} {}", other.record.rule_content.trim(), drafted.draft.content);
    if !specificity::lint(&both).is_empty() {
        return None;
    }
    drafted.draft.title = title_of(&both);
    drafted.draft.content = both;
    Some(other.record.proposal_id.clone())
}
