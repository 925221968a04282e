//! Applies a language model's check of a pattern: comments that the rule would not settle leave, and the rest is
//! proposed in the model's words if that is nearly all of it.

use super::pending_checks::{is_nearly_checked, unchecked};
use super::placement::{put_into, put_together};
use super::reread::withdraw_empty;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterKey, ClusterOrComment};
use crate::domain::records::record::{CheckReply, CheckedRule};
use crate::domain::rules::draft::advice::ToCheck;
use crate::domain::rules::lifecycle::rule::Command;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::clusters::removal::follow_leaving;
use crate::pipeline::error::{PipelineError, Stop};
use crate::pipeline::rules::commands::{command, put_rule};
use crate::pipeline::rules::existing_guidance::unfit;
use crate::pipeline::rules::proposals::{WordingOutcome, offer_worded};
use crate::pipeline::working_set::{CheckedWords, RuleEntry};
use crate::text::prose::count;

/// The share of the evidence that a rule must settle to be proposed.
const SETTLED: f64 = 0.8;

/// Prefix of the reason for a missing proposal if a model advises against the rule.
pub(crate) const ADVISED_AGAINST: &str = "The language model advises against a rule";

/// Applies a check and returns the outcome in words.
pub(crate) fn follow_check(
    draft: &mut Draft<'_>,
    question: &ToCheck,
    reply: &CheckReply,
    adviser: &str,
    hash: &str,
) -> Result<String, PipelineError> {
    let groups = &draft.memory.remarks.groups;
    let Some(ClusterOrComment::Cluster(key)) = groups.group(&question.about) else {
        return Ok(format!("{} is gone", question.about));
    };
    draft.memory.note_checked(&question.about, question.evidence());
    for other in &reply.same {
        if let Ok(effect) = put_together(draft, &question.about, other, adviser, hash)? {
            // It is checked again with all of its current evidence.
            return Ok(format!("{effect} ({adviser})"));
        }
    }
    let Some(first) = reply.rules.first() else { return advise_against(draft, key, reply, adviser) };
    let (kept, left) = leave(draft, key, question, first)?;
    found_others(draft, question, reply, adviser, hash)?;
    if !reply.worth {
        return advise_against(draft, key, reply, adviser);
    }
    let all = kept + left;
    let share = kept as f64 / all.max(1) as f64;
    let told = format!("{kept} of {} would be settled", count(all as u64, "comment"));
    let words = CheckedWords { title: first.title.clone(), rule: first.rule.clone(), why: reply.why.clone() };
    if share < SETTLED {
        draft.memory.reword_checked(&question.about, None);
        return Ok(format!("{told}, {left} left {}; it is checked again ({adviser})", question.about));
    }
    let words = draft.memory.checked.get(&question.about).and_then(|checked| checked.worded.clone()).unwrap_or(words);
    draft.memory.reword_checked(&question.about, Some(words.clone()));
    let effect = propose(draft, key, &question.about, &words, adviser)?;
    Ok(format!("{told}; {effect} ({adviser})"))
}

/// Removes the comments that the rule would not settle from the pattern. Returns how many stay and how many left.
fn leave(
    draft: &mut Draft<'_>,
    key: ClusterKey,
    question: &ToCheck,
    rule: &CheckedRule,
) -> Result<(usize, usize), PipelineError> {
    let policy = draft.memory.remarks.policy;
    let (mut kept, mut left) = (0, 0);
    for shown in &question.comments {
        let groups = &mut draft.memory.remarks.groups;
        let Some(member) = groups.key_of(&shown.about).filter(|m| groups.member(*m).cluster == Some(key)) else {
            continue;
        };
        if rule.settles.contains(&shown.about) || groups.is_peoples(key) {
            kept += 1;
            continue;
        }
        left += 1;
        if let Some(gone) = groups.step_out(member, &policy) {
            draft.marks.unsettled.insert(member);
            follow_leaving(draft, member, gone)?;
        }
    }
    withdraw_empty(draft, key)?;
    Ok((kept, left))
}

/// Creates separate clusters from the comments that other rules would settle.
fn found_others(
    draft: &mut Draft<'_>,
    question: &ToCheck,
    reply: &CheckReply,
    adviser: &str,
    hash: &str,
) -> Result<(), PipelineError> {
    for rule in reply.rules.iter().skip(1) {
        let groups = &draft.memory.remarks.groups;
        let is_alone = |id: &&String| {
            groups.key_of(id).is_some_and(|key| matches!(groups.group_of(key), ClusterOrComment::Lone(_)))
                && question.comments.iter().any(|shown| shown.about == **id)
        };
        let alone: Vec<String> = rule.settles.iter().filter(is_alone).cloned().collect();
        let Some((first, others)) = alone.split_first() else { continue };
        for other in others {
            let _ = put_into(draft, other, first, adviser, hash)?;
        }
    }
    Ok(())
}

fn advise_against(
    draft: &mut Draft<'_>,
    key: ClusterKey,
    reply: &CheckReply,
    adviser: &str,
) -> Result<String, PipelineError> {
    let why = if reply.why.is_empty() { ".".to_owned() } else { format!(": {}", reply.why) };
    let cluster = draft.memory.remarks.groups.cluster_mut(key);
    let pending = cluster.proposal.clone();
    cluster.not_proposed = Some(format!("{ADVISED_AGAINST}{why}"));
    draft.marks.touched.insert(key);
    Ok(match pending.filter(|id| draft.memory.rule(id).is_some_and(RuleEntry::is_living)) {
        Some(id) => format!("it would not approve {id} ({adviser})"),
        None => format!("no rule is proposed ({adviser})"),
    })
}

/// Proposes the rule in the model's words once all or nearly all of the evidence is checked.
fn propose(
    draft: &mut Draft<'_>,
    key: ClusterKey,
    about: &str,
    words: &CheckedWords,
    adviser: &str,
) -> Result<String, PipelineError> {
    let groups = &draft.memory.remarks.groups;
    let cluster = groups.cluster(key);
    if cluster.class(&draft.memory.remarks.policy) != Classification::GeneralizableHigh {
        return Ok("what is left is not a pattern".to_owned());
    }
    if let Some(rule) = cluster.proposal.as_deref().and_then(|id| draft.memory.rule(id)).filter(|rule| rule.is_living())
    {
        let (id, record) = (rule.record.proposal_id.clone(), rule.record.clone());
        let untouched = rule.is_pending() && !rule.was_edited() && record.version == 1 && record.approvals.is_empty();
        let by_model = record.history.iter().any(|event| event.by.as_deref() == Some(adviser));
        return match untouched && !by_model {
            true => reword(draft, &id, &record.content_hash, words, adviser),
            false => Ok(format!("{id} stays unchanged")),
        };
    }
    if !is_nearly_checked(&draft.memory, key) {
        let open = unchecked(&draft.memory, key);
        return Ok(format!("{} of it are still unchecked", count(open, "comment")));
    }
    let proposal = match offer_worded(draft, key, words.title.clone(), words.rule.clone())? {
        WordingOutcome::Proposed(id) => id,
        WordingOutcome::TurnedAway(why) => return Ok(format!("no rule is proposed: {why}")),
        WordingOutcome::NoRoom => return Ok("no rule is proposed: enough proposals are pending".to_owned()),
    };
    if draft.counts.proposals.last() != Some(&proposal) {
        return Ok(format!("{proposal} says the same, and {about} belongs to it"));
    }
    if let Some(mut record) = draft.memory.rule(&proposal).map(|rule| rule.record.clone()) {
        for event in &mut record.history {
            event.by = Some(adviser.to_owned());
            event.note = Some(words.why.clone()).filter(|why| !why.is_empty());
        }
        put_rule(draft, record)?;
    }
    Ok(format!("{proposal} is proposed in its words"))
}

/// Proposes patterns that were checked while too many other proposals were pending.
pub(crate) fn propose_waiting(draft: &mut Draft<'_>, adviser: &str) -> Result<(), PipelineError> {
    let groups = &draft.memory.remarks.groups;
    let worded = draft.memory.checked.iter().filter_map(|(id, checked)| Some((id, checked.worded.as_ref()?)));
    let waiting: Vec<(String, ClusterKey, CheckedWords)> = worded
        .filter_map(|(id, words)| Some((id.clone(), groups.find_cluster(id)?, words.clone())))
        .filter(|(_, key, _)| groups.cluster(*key).proposal.is_none() && groups.cluster(*key).not_proposed.is_none())
        .collect();
    for (id, key, words) in waiting {
        propose(draft, key, &id, &words, adviser)?;
    }
    Ok(())
}

/// Puts an untouched pending proposal into a model's words.
fn reword(
    draft: &mut Draft<'_>,
    id: &str,
    content_hash: &str,
    words: &CheckedWords,
    adviser: &str,
) -> Result<String, PipelineError> {
    let stays = |why: &str| Ok(format!("{id} keeps its text: {why}"));
    if draft.memory.rule(id).is_some_and(RuleEntry::was_edited) {
        return stays("people edited it");
    }
    if let Some(refusal) = unfit(draft, id, &words.rule)? {
        return stays(&refusal.message);
    }
    let reword = Command::Reword {
        by: adviser.to_owned(),
        content_hash: content_hash.to_owned(),
        title: words.title.clone(),
        content: words.rule.clone(),
        reason: words.why.clone(),
    };
    match command(draft, id, &reword, draft.now) {
        Ok(done) => {
            draft.counts.rule_events.push(format!("reword {id} ({adviser})"));
            Ok(done.effect)
        }
        Err(Stop::Refused(refusal)) => stays(&refusal.message),
        Err(Stop::Failed(error)) => Err(error),
    }
}
