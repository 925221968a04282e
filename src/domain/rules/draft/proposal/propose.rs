//! Creates a proposal's record and keeps its evidence current.

use super::draft::Draft;
use super::hash::hash_of;
use super::scope::ScopeProposal;
use crate::clusters::evaluation::ActionType;
use crate::clusters::{Cluster, Member, Policy};
use crate::records::record::{ConflictReport, MAX_EVIDENCE, ProposalRecord, ProposalStatus, StoredRecord};
use crate::text::language::direction::Direction;
use crate::text::language::stance::read_stance;
use crate::text::prose::{list, round};
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use std::collections::{BTreeSet, HashSet};

/// Where a rule enters an agent's prompt (specification, "Rules").
pub const INSERTION_POINT: &str = "## Learned Rules (from feedback)";

/// Creates a proposal for a cluster; its id is assigned when it is filed. `narrowed` is its scope if it does not apply
/// everywhere.
pub fn propose(
    draft: Draft,
    cluster: &Cluster,
    members: &[&Member],
    conflicts: Vec<ConflictReport>,
    policy: &Policy,
    narrowed: Option<ScopeProposal>,
    now: Timestamp,
) -> ProposalRecord {
    let (scope, scope_because) = narrowed.map(|narrowed| (narrowed.scope, narrowed.why)).unzip();
    let first = members.first();
    let mut record = ProposalRecord {
        schema: ProposalRecord::SCHEMA.to_owned(),
        proposal_id: String::new(),
        version: 1,
        tenant_id: first.map(|m| m.tenant.clone()).filter(|t| !t.is_empty()),
        title: draft.title,
        action_type: ActionType::CreateRule,
        rule_type: draft.rule_type,
        content_hash: String::new(),
        rule_content: draft.content,
        concern: draft.concern,
        why: draft.why,
        example: draft.example,
        affected_agents: first.map(|m| m.agent.clone()).into_iter().collect(),
        insertion_point: INSERTION_POINT.to_owned(),
        status: ProposalStatus::Pending,
        classification_confidence: round(cluster.confidence(policy)),
        raw_confidence: None,
        evidence_summary: String::new(),
        cluster_id: cluster.id.clone(),
        reviewers: Vec::new(),
        evidence_count: 0,
        created_from_feedback_ids: Vec::new(),
        merged_clusters: Vec::new(),
        dissent: Vec::new(),
        conflicts,
        scope: scope.unwrap_or_default(),
        scope_because,
        target_rule: None,
        consolidates: Vec::new(),
        card: None,
        approvals: Vec::new(),
        pattern_since: Some(cluster.last_seen.min(now)),
        created_at: now,
        version_at: None,
        reminded_at: None,
        decided_at: None,
        activated_at: None,
        ended_at: None,
        reason: None,
        flag: None,
        earlier_versions: Vec::new(),
        history: Vec::new(),
    };
    record.content_hash = hash_of(&record);
    add_evidence(&mut record, cluster, members);
    record
}

/// Adds a cluster's tied members to a proposal's evidence; returns true if that changed something. A full list
/// ([`MAX_EVIDENCE`]) is kept: the others name the cluster in their records.
pub fn add_evidence(record: &mut ProposalRecord, cluster: &Cluster, members: &[&Member]) -> bool {
    let merged = cluster.id != record.cluster_id && !record.merged_clusters.contains(&cluster.id);
    if merged {
        record.merged_clusters.push(cluster.id.clone());
    }
    let listed: HashSet<&str> = record.created_from_feedback_ids.iter().map(String::as_str).collect();
    let room = MAX_EVIDENCE.saturating_sub(listed.len());
    let fresh: Vec<&Member> = members.iter().copied().filter(|m| !listed.contains(m.id.as_str())).take(room).collect();
    // All authors of evidence are named, even if there is no room for their comments.
    let authors: BTreeSet<&String> = cluster.tied_reviewers.keys().chain(fresh.iter().map(|m| &m.reviewer)).collect();
    let present: HashSet<String> = record.reviewers.iter().cloned().collect();
    let new: Vec<String> = authors.into_iter().filter(|name| !present.contains(*name)).cloned().collect();
    if fresh.is_empty() && new.is_empty() {
        return merged;
    }
    record.created_from_feedback_ids.extend(fresh.into_iter().map(|member| member.id.clone()));
    record.reviewers.extend(new);
    record.reviewers.sort();
    record.evidence_count = record.created_from_feedback_ids.len() as u64;
    record.evidence_summary = summarise(record, cluster, members);
    true
}

fn summarise(record: &ProposalRecord, cluster: &Cluster, members: &[&Member]) -> String {
    let gates: Vec<String> = cluster.gates.keys().map(ToString::to_string).collect();
    let example = members.first().map_or_else(String::new, |m| format!(" For example {}: “{}”.", m.id, m.text));
    let (first, last) = (date(cluster.first_seen), date(cluster.last_seen));
    let when = if first == last { format!("on {first}") } else { format!("between {first} and {last}") };
    format!(
        "{} comments by {} reviewers ({}) at {} {when} ask for this.{example}",
        record.evidence_count,
        record.reviewers.len(),
        list(record.reviewers.iter().map(String::as_str), 6),
        gates.join(", "),
    )
}

fn date(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// Returns the direction of a rule's text.
pub fn direction_of(content: &str) -> Direction {
    read_stance(Verdict::Rejected, Some(content), None).direction
}
