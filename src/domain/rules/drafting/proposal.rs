//! Proposals: from a cluster to a rule's text, its evidence, and its relation to other rules (specification, "Rules").
//!
//! The text is the catalogue's sentence for the concern that the cluster voices, made specific by what its remarks
//! name, or comes from a few sentence patterns; no language model is asked. Understanding remarks is not this module's
//! work.

mod draft;
mod example;
mod specifics;
mod worded;

pub use draft::{Draft, draft, draft_best};
pub use example::{example, told};
pub use worded::{Worded, worded};

use crate::domain::grouping::cluster::{Cluster, Member, Pointing, Policy};
use crate::domain::grouping::evaluation::ActionType;
use crate::domain::language::direction::Direction;
use crate::domain::language::similarity::Embedding;
use crate::domain::language::stance::read_stance;
use crate::domain::prose::{line, list, round};
use crate::domain::records::record::{ConflictReport, MAX_EVIDENCE, ProposalRecord, ProposalStatus, Scope};
use crate::domain::verdict::Verdict;
use jiff::Timestamp;
use std::collections::HashSet;

/// Where a rule enters an agent's prompt (specification, "Rules").
pub const INSERTION_POINT: &str = "## Learned Rules (from feedback)";

/// A rule or proposal that a new one is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownRule {
    /// Its id.
    pub id: String,
    /// Its text.
    pub content: String,
    /// The vector of its text.
    pub vector: Option<Embedding>,
    /// The first feedback behind it.
    pub evidence: Option<String>,
    /// The concern that it was made from.
    pub concern: Option<String>,
    /// The concern that asks for the contrary.
    pub opposite: Option<String>,
    /// Which way it points.
    pub direction: Direction,
}

impl KnownRule {
    /// Which way it points, and about what.
    pub fn pointing(&self) -> Pointing {
        let axis = self.concern.as_ref().and_then(|_| self.vector.as_ref()?.main_axis());
        Pointing { direction: self.direction, axis }
    }
}

/// How a new rule stands to those that are known.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// It says what another one says already.
    Duplicate(String),
    /// It is new; these contradict it.
    New(Vec<ConflictReport>),
}

/// Thresholds of the check against duplicates and conflicts, calibrated similarity, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// From here on, two rules that point the same way are one.
    pub duplicate_at: f64,
    /// From here on, two rules that point opposite ways contradict each other.
    pub conflict_at: f64,
}

/// Compares a new rule with the active and pending rules of its agent.
///
/// Rules that were made from concerns are the same where the concern is, and contradict each other where one is the
/// other's opposite, whatever their words. Of all others their vectors and directions tell.
pub fn relate(new: &KnownRule, known: &[&KnownRule], policy: &Policy, at: &Thresholds) -> Relation {
    let mut conflicts = Vec::new();
    for rule in known {
        let similarity = match (new.vector.as_ref(), rule.vector.as_ref()) {
            (Some(a), Some(b)) => policy.calibration.similarity(a.cosine(b)),
            _ => 0.0,
        };
        let (same, opposed) = match (&new.concern, &rule.concern) {
            (Some(a), Some(b)) => (a == b, new.opposite.as_ref() == Some(b) || rule.opposite.as_ref() == Some(a)),
            _ => {
                let opposed = new.direction.opposes(rule.direction);
                (!opposed && similarity >= at.duplicate_at, opposed && similarity >= at.conflict_at)
            }
        };
        if same {
            return Relation::Duplicate(rule.id.clone());
        }
        if opposed {
            let witness = rule.evidence.as_ref();
            conflicts.push(ConflictReport {
                with: rule.id.clone(),
                reason: format!(
                    "{} asks for the opposite: “{}”{}.",
                    rule.id,
                    line(&rule.content, 120),
                    witness.map_or_else(String::new, |w| format!(", as {w} shows"))
                ),
                witness: witness.cloned(),
                similarity: round(similarity),
            });
        }
    }
    Relation::New(conflicts)
}

/// A proposal for a cluster; its id is given when it is filed.
pub fn propose(
    draft: Draft,
    cluster: &Cluster,
    members: &[&Member],
    conflicts: Vec<ConflictReport>,
    policy: &Policy,
    now: Timestamp,
) -> ProposalRecord {
    let first = members.first();
    let mut record = ProposalRecord {
        schema: "feedbackd.proposal/1".to_owned(),
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
        scope: Scope::default(),
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

/// The hash of what enters a prompt for a rule; approvals are bound to it.
pub fn hash_of(rule: &ProposalRecord) -> String {
    content_hash(&told(rule))
}

/// Adds a cluster's tied members to a proposal's evidence; true where that changed something. A full list
/// ([`MAX_EVIDENCE`]) stays as it is: the others name the cluster in their records.
pub fn add_evidence(record: &mut ProposalRecord, cluster: &Cluster, members: &[&Member]) -> bool {
    let merged = cluster.id != record.cluster_id && !record.merged_clusters.contains(&cluster.id);
    if merged {
        record.merged_clusters.push(cluster.id.clone());
    }
    let listed: HashSet<&str> = record.created_from_feedback_ids.iter().map(String::as_str).collect();
    let room = MAX_EVIDENCE.saturating_sub(listed.len());
    let fresh: Vec<&Member> = members.iter().copied().filter(|m| !listed.contains(m.id.as_str())).take(room).collect();
    if fresh.is_empty() {
        return merged;
    }
    for member in fresh {
        record.created_from_feedback_ids.push(member.id.clone());
        if !record.reviewers.contains(&member.reviewer) {
            record.reviewers.push(member.reviewer.clone());
        }
    }
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
        "{} remarks by {} reviewers ({}) at {} {when} ask for this.{example}",
        record.evidence_count,
        record.reviewers.len(),
        list(record.reviewers.iter().map(String::as_str), 6),
        gates.join(", "),
    )
}

/// The hash of a rule's text that approvals are bound to: BLAKE3, 64 hexadecimal digits.
pub fn content_hash(content: &str) -> String {
    blake3::hash(content.as_bytes()).to_hex().to_string()
}

fn date(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// Which way a rule's text points.
pub fn direction_of(content: &str) -> Direction {
    read_stance(Verdict::Rejected, Some(content), None).direction
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::language::similarity::Calibration;

    fn known(id: &str, content: &str, x: f32) -> KnownRule {
        KnownRule {
            id: id.into(),
            content: content.into(),
            vector: Embedding::from_f32(&[x, 1.0]),
            evidence: Some("dec-1".into()),
            concern: None,
            opposite: None,
            direction: direction_of(content),
        }
    }

    #[test]
    fn duplicates_and_conflicts_are_told_apart() {
        let policy = Policy {
            similar_at: 0.8,
            high_needs_reviewers: 2,
            group_threshold: 0.45,
            calibration: Calibration::new(0.66),
        };
        let at = Thresholds { duplicate_at: 0.9, conflict_at: 0.8 };
        let more = known("RULE-2026-0001", "Add comments to every function.", 1.0);
        let less = known("RULE-2026-0002", "Do not add comments.", 1.0);
        let says = |content, rules: &[&KnownRule]| relate(&known("", content, 1.0), rules, &policy, &at);
        assert_eq!(says("Add comments to functions.", &[&more]), Relation::Duplicate("RULE-2026-0001".into()));
        let Relation::New(conflicts) = says("Add comments to functions.", &[&less]) else {
            panic!("a conflict is no duplicate")
        };
        assert_eq!(conflicts[0].with, "RULE-2026-0002");
        assert_eq!(conflicts[0].witness.as_deref(), Some("dec-1"));
        let far = known("RULE-2026-0003", "Add comments.", -1.0);
        assert_eq!(says("Add comments to functions.", &[&far]), Relation::New(vec![]));
    }
    #[test]
    fn concerns_decide_whatever_the_words() {
        let policy = Policy {
            similar_at: 0.8,
            high_needs_reviewers: 2,
            group_threshold: 0.45,
            calibration: Calibration::new(0.66),
        };
        let at = Thresholds { duplicate_at: 0.9, conflict_at: 0.8 };
        let of = |concern: &str, opposite: Option<&str>, content: &str, x| KnownRule {
            concern: Some(concern.into()),
            opposite: opposite.map(Into::into),
            ..known("RULE-2026-0001", content, x)
        };
        let new =
            of("style.comments_more", Some("style.comments_less"), "Write a comment beside each workaround.", 1.0);
        let same = of("style.comments_more", None, "Say why.", -1.0);
        assert_eq!(relate(&new, &[&same], &policy, &at), Relation::Duplicate("RULE-2026-0001".into()));
        let contrary = of("style.comments_less", None, "Say nothing twice.", -1.0);
        let Relation::New(conflicts) = relate(&new, &[&contrary], &policy, &at) else { panic!("no duplicate") };
        assert_eq!(conflicts.len(), 1);
        let other = of("style.docstring", None, "Write a comment beside each workaround.", 1.0);
        assert_eq!(relate(&new, &[&other], &policy, &at), Relation::New(vec![]));
    }
}
