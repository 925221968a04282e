//! The evidence of proposals: what new comments add, what opposes it, and what is removed when feedback is withdrawn or
//! moved.

use super::commands::{command, hold_rule, keep_target, put_rule};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterKey, Member, MemberKey};
use crate::domain::records::record::{MAX_EVIDENCE, ProposalRecord};
use crate::domain::rules::draft::proposal;
use crate::domain::rules::lifecycle::rule::Command;
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::error::PipelineError;
use crate::pipeline::error::RejectionExt;
use crate::pipeline::working_set::comment_details::widen;
use crate::text::prose::list;
use jiff::Timestamp;
use std::collections::BTreeSet;

/// Adds new cluster members to the evidence of their pending proposals, along with opposing comments.
pub(crate) fn add_evidence(draft: &mut Draft<'_>) -> Result<(), PipelineError> {
    let dissent = std::mem::take(&mut draft.marks.dissent);
    let concerned: BTreeSet<ClusterKey> = draft.marks.touched.iter().chain(dissent.keys()).copied().collect();
    for key in concerned {
        let against = dissent.get(&key);
        let Some(id) = draft.memory.remarks.groups.cluster(key).proposal.clone() else { continue };
        let Some(entry) = draft.memory.rule(&id).filter(|r| r.is_living()) else { continue };
        let mut record = entry.record.clone();
        let name = draft.memory.remarks.groups.cluster(key).id.clone();
        let is_new = record.cluster_id != name && !record.merged_clusters.contains(&name);
        if !entry.is_pending() {
            // It is decided, and its evidence is final. Similar comments from now on count towards measuring it.
            if is_new && hold_rule(draft, &id).unless_refused()?.is_some() {
                record.merged_clusters.push(name);
                put_rule(draft, record)?;
            }
            continue;
        }
        let full = record.created_from_feedback_ids.len() >= MAX_EVIDENCE;
        let cluster = draft.memory.remarks.groups.cluster(key);
        let authors_known = cluster.tied_reviewers.keys().all(|name| record.reviewers.binary_search(name).is_ok());
        if full && against.is_none() && !is_new && authors_known {
            continue;
        }
        // A large cluster is not gathered and sorted if there is no room for its members.
        let members = if full { Vec::new() } else { draft.memory.remarks.groups.tied_members(key) };
        let cluster = draft.memory.remarks.groups.cluster(key);
        let listed = record.created_from_feedback_ids.clone();
        let mut added = proposal::add_evidence(&mut record, cluster, &members);
        let fresh: Vec<&Member> = members.into_iter().filter(|member| !listed.contains(&member.id)).collect();
        added |= widen(draft, &mut record, &fresh);
        for id in against.into_iter().flatten().filter(|id| !record.dissent.contains(id)).collect::<Vec<_>>() {
            record.dissent.push(id.clone());
            added = true;
        }
        if added && hold_rule(draft, &id).unless_refused()?.is_some() {
            put_rule(draft, record)?;
        }
    }
    Ok(())
}

/// Removes withdrawn feedback from rules' evidence. A rule that is no longer a pattern without it is rejected or rolled
/// back.
pub(crate) fn withdraw_rules(
    draft: &mut Draft<'_>,
    ids: &BTreeSet<String>,
    review: &str,
    at: Timestamp,
) -> Result<Vec<String>, PipelineError> {
    let concerned: Vec<String> = draft
        .memory
        .rules()
        .filter(|r| r.is_living() && r.record.created_from_feedback_ids.iter().any(|id| ids.contains(id)))
        .map(|r| r.record.proposal_id.clone())
        .collect();
    let mut fallen = Vec::new();
    for id in concerned {
        if hold_rule(draft, &id).unless_refused()?.is_none() {
            continue;
        }
        let Some(record) = draft.memory.rule(&id).map(|r| without_evidence(draft, &r.record, ids)) else {
            continue;
        };
        // A rule without a cluster (proposed by a program, or about another rule) rests on the remaining evidence.
        let pattern = if record.cluster_id.is_empty() && record.merged_clusters.is_empty() {
            !record.created_from_feedback_ids.is_empty()
        } else {
            record.clusters().any(|cluster| {
                let memory = &draft.memory.remarks.groups;
                let class = |key| memory.cluster(key).class(&draft.memory.remarks.policy);
                memory.find_cluster(cluster).is_some_and(|key| class(key) == Classification::GeneralizableHigh)
            })
        };
        put_rule(draft, record)?;
        if pattern {
            continue;
        }
        let withdraw = Command::Withdraw { reason: format!("its evidence was withdrawn by {review}") };
        if command(draft, &id, &withdraw, at).unless_refused()?.is_some() {
            draft.counts.rule_events.push(format!("withdraw {id}"));
            keep_target(draft, &id, "no evidence is left for", at)?;
            fallen.push(id);
        }
    }
    Ok(fallen)
}

/// Returns a rule without some of its evidence, and without reviewers who contributed nothing else.
pub(crate) fn without_evidence(draft: &Draft<'_>, record: &ProposalRecord, ids: &BTreeSet<String>) -> ProposalRecord {
    let mut record = record.clone();
    let gone: Vec<&str> =
        record.created_from_feedback_ids.iter().filter(|f| ids.contains(*f)).map(String::as_str).collect();
    if !gone.is_empty() {
        // The text was true when written and shows what approvers saw.
        let since = format!(" No longer counted since then: {}.", list(gone.into_iter(), 5));
        record.evidence_summary.push_str(&since);
    }
    record.created_from_feedback_ids.retain(|f| !ids.contains(f));
    record.evidence_count = record.created_from_feedback_ids.len() as u64;
    let memory = &draft.memory.remarks.groups;
    let left = record.created_from_feedback_ids.iter().filter_map(|f| memory.key_of(f));
    let voices: BTreeSet<&str> = left.map(|key| memory.member(key).reviewer.as_str()).collect();
    record.reviewers.retain(|reviewer| voices.contains(reviewer.as_str()));
    record
}

/// Removes comments that left a cluster from the evidence of its pending proposal.
pub(crate) fn leave_proposal(
    draft: &mut Draft<'_>,
    cluster: ClusterKey,
    members: &[MemberKey],
) -> Result<(), PipelineError> {
    let memory = &draft.memory.remarks.groups;
    let Some(rule) = memory.cluster(cluster).proposal.clone() else { return Ok(()) };
    let ids: BTreeSet<String> = members.iter().map(|m| memory.member(*m).id.clone()).collect();
    let Some(entry) = draft.memory.rule(&rule).filter(|r| r.is_pending()) else { return Ok(()) };
    let record = without_evidence(draft, &entry.record, &ids);
    if record.evidence_count != entry.record.evidence_count && hold_rule(draft, &rule).unless_refused()?.is_some() {
        put_rule(draft, record)?;
    }
    Ok(())
}

/// Stops counting decided or withdrawn feedback against proposals.
pub(crate) fn dissents_no_more(draft: &mut Draft<'_>, id: &str) -> Result<(), PipelineError> {
    let concerned: Vec<ProposalRecord> = draft
        .memory
        .rules()
        .filter(|r| r.is_pending() && r.record.dissent.iter().any(|d| d == id))
        .map(|r| r.record.clone())
        .collect();
    for mut record in concerned {
        if hold_rule(draft, &record.proposal_id).unless_refused()?.is_some() {
            record.dissent.retain(|d| d != id);
            put_rule(draft, record)?;
        }
    }
    for against in draft.marks.dissent.values_mut() {
        against.remove(id);
    }
    Ok(())
}
