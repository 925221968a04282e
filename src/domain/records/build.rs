//! Records built from what the evaluator knows: the words and numbers that people read in the store.

use super::layout;
use super::record::{
    AmbiguousRecord, AmbiguousStatus, ClusterRecord, CorrectionRef, DeadLetterRecord, DecisionRecord, EdgeCaseRecord,
    EdgeCaseStatus, FeedbackSection, Representative, Side, StoredRecord,
};
use crate::clusters::evaluate::Neighbour;
use crate::clusters::evaluation::Evaluation;
use crate::clusters::{Cluster, Member, Policy};
use crate::intake::decode::fill_text;
use crate::intake::event::{RawEntry, Rejection};
use crate::intake::feedback::{Correction, Feedback};
use crate::source::Source;
use crate::text::language::direction::Direction;
use crate::text::prose::{line, list, round};
use crate::text::redact::{Personal, redact, redact_json};
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum files in a correction's reference.
const FILES: usize = 20;
/// Maximum reviewers in a cluster's file.
const REVIEWERS: usize = 20;
/// How much of a comment a one-off or a contradiction quotes, in characters.
const QUOTE: usize = 400;
/// How much of each field is kept in a dead letter's record, in characters.
const FIELD: usize = 400;

/// Builds a decision record, and the diff to store with it.
pub fn decision(feedback: &Feedback, evaluation: Evaluation) -> (DecisionRecord, Option<String>) {
    let d = &feedback.decision;
    let correction = feedback.correction.as_ref();
    let correction = correction.map(|c| kept(c, layout::correction(d.timestamp, d.task_id.as_deref(), &feedback.id)));
    let record = DecisionRecord {
        schema: DecisionRecord::SCHEMA.to_owned(),
        decision_id: d.decision_id.clone(),
        gate: d.gate,
        gate_id: d.gate_id.clone(),
        decision: d.verdict,
        reviewer_id: d.reviewer_id.clone(),
        timestamp: d.timestamp,
        tenant_id: Some(feedback.tenant.clone()).filter(|t| !t.is_empty()),
        epic_id: d.epic_id.clone(),
        task_id: d.task_id.clone(),
        session_id: d.session_id.clone(),
        review_duration_seconds: d.review_duration_seconds,
        agent_output_sha: d.agent_output_sha.clone(),
        approved_output_sha: d.approved_output_sha.clone(),
        reviewer_comment: d.reviewer_comment.clone(),
        severity: d.severity,
        consider_for_improvement: d.consider_for_improvement,
        tags: d.tags.clone(),
        extra: d.extra.clone(),
        source: d.source.clone(),
        feedback: FeedbackSection {
            feedback_id: feedback.id.clone(),
            agent: feedback.agent.clone(),
            correction_summary: feedback.summary.as_ref().map(|s| s.text.clone()),
            summary_is_derived: feedback.summary.as_ref().is_some_and(|s| s.derived),
            correction,
            correction_note: feedback.correction_note.clone(),
            places: feedback.places.clone(),
            stance: feedback.stance.clone(),
            concern: feedback.concern.clone(),
            reading: feedback.reading.clone(),
            placed_by: None,
            redacted: feedback.redacted.clone(),
            edge_case: None,
            retracted_by: None,
            marked: feedback.marked.clone(),
        },
        evaluation,
        comments: Vec::new(),
        comment: feedback.comment.clone(),
    };
    (record, feedback.correction.as_ref().map(|c| c.diff.clone()))
}

/// Fills in only what the record lacks, if the same decision arrived on another stream.
pub fn fill_missing(record: &mut DecisionRecord, other: &Feedback) {
    fn fill<T: Clone>(ours: &mut Option<T>, theirs: &Option<T>) {
        if ours.is_none() {
            ours.clone_from(theirs);
        }
    }
    let d = &other.decision;
    fill_text(&mut record.epic_id, &d.epic_id);
    fill_text(&mut record.task_id, &d.task_id);
    fill_text(&mut record.session_id, &d.session_id);
    fill(&mut record.review_duration_seconds, &d.review_duration_seconds);
    fill_text(&mut record.agent_output_sha, &d.agent_output_sha);
    fill_text(&mut record.approved_output_sha, &d.approved_output_sha);
    fill_text(&mut record.reviewer_comment, &d.reviewer_comment);
    fill(&mut record.severity, &d.severity);
    fill(&mut record.consider_for_improvement, &d.consider_for_improvement);
    if record.tags.is_empty() {
        record.tags.clone_from(&d.tags);
    }
    for (key, value) in &d.extra {
        record.extra.entry(key.clone()).or_insert_with(|| value.clone());
    }
    let section = &mut record.feedback;
    if section.correction.is_none()
        && let Some(correction) = &other.correction
    {
        let path = layout::correction(record.timestamp, record.task_id.as_deref(), &section.feedback_id);
        section.correction = Some(kept(correction, path));
        section.correction_note = None;
    }
    if let Some(summary) = &other.summary
        && (section.correction_summary.is_none() || (section.summary_is_derived && !summary.derived))
    {
        section.correction_summary = Some(summary.text.clone());
        section.summary_is_derived = summary.derived;
    }
    if section.places.is_empty() {
        section.places.clone_from(&other.places);
    }
    section.redacted.extend(other.redacted.iter().cloned());
    section.redacted.sort();
    section.redacted.dedup();
}

/// Builds the record's reference to a correction stored at a path.
fn kept(correction: &Correction, path: String) -> CorrectionRef {
    CorrectionRef {
        path,
        files: correction.files.iter().take(FILES).cloned().collect(),
        lines_added: correction.added,
        lines_removed: correction.removed,
        suggested: correction.suggested,
    }
}

/// Builds a cluster's file.
pub fn cluster(cluster: &Cluster, representatives: &[&Member], policy: &Policy) -> ClusterRecord {
    let mut reviewers: Vec<(&String, &u64)> = cluster.reviewers.iter().collect();
    reviewers.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let first = representatives.first();
    ClusterRecord {
        schema: ClusterRecord::SCHEMA.to_owned(),
        cluster_id: cluster.id.clone(),
        tenant_id: first.map(|m| m.tenant.clone()).filter(|t| !t.is_empty()),
        agent: first.map(|m| m.agent.clone()).unwrap_or_default(),
        title: first.map(|m| line(&m.text, 100)).unwrap_or_default(),
        classification: cluster.class(policy),
        confidence: round(cluster.confidence(policy)),
        direction: cluster.pointing.direction,
        members: cluster.members.len() as u64,
        reviewer_count: cluster.reviewers.len() as u64,
        similar_members: cluster.tied(),
        similar_reviewers: cluster.tied_reviewers.len() as u64,
        similar_tasks: if cluster.tied_tasks.contains_key("") { 0 } else { cluster.tied_tasks.len() as u64 },
        reviewers: reviewers.into_iter().take(REVIEWERS).map(|(r, n)| (r.clone(), *n)).collect(),
        gates: cluster.gates.iter().map(|(gate, n)| (gate.to_string(), *n)).collect(),
        first_seen: cluster.first_seen,
        last_seen: cluster.last_seen,
        representatives: representatives
            .iter()
            .map(|m| Representative {
                feedback_id: m.id.clone(),
                reviewer_id: m.reviewer.clone(),
                text: m.text.clone(),
                record: m.path.clone(),
            })
            .collect(),
        proposal: cluster.proposal.clone(),
        not_proposed: cluster.not_proposed.clone(),
        decided_by: cluster.decided_by.clone(),
        merged_into: cluster.merged_into.clone(),
        taught_by: cluster.taught_by.clone(),
        kept_apart: Vec::new(),
    }
}

/// Builds a one-off for a decision evaluated as one.
pub fn edge_case(id: String, record: &DecisionRecord, path: &str) -> EdgeCaseRecord {
    let what = match record.text() {
        Some(text) => line(&text, QUOTE),
        None => "No comment was given.".to_owned(),
    };
    EdgeCaseRecord {
        schema: EdgeCaseRecord::SCHEMA.to_owned(),
        edge_case_id: id,
        feedback_id: record.feedback.feedback_id.clone(),
        record: path.to_owned(),
        tenant_id: record.tenant_id.clone(),
        agent: record.feedback.agent.clone(),
        gate: record.gate,
        reviewer_id: record.reviewer_id.clone(),
        timestamp: record.timestamp,
        what,
        why: record.evaluation.rationale.clone(),
        status: EdgeCaseStatus::Open,
        resolution: None,
        promoted_to: None,
    }
}

/// Promotes a one-off to part of a pattern, as similar comments arrived.
pub fn promote(record: &mut EdgeCaseRecord, cluster: &Cluster, now: Timestamp) {
    record.status = EdgeCaseStatus::Promoted;
    record.promoted_to = Some(cluster.id.clone());
    record.resolution = Some(format!(
        "Promoted on {}: it was asked for again, {} times in all, by {}. It is part of {}.",
        now.strftime("%Y-%m-%d"),
        cluster.tied(),
        list(cluster.tied_reviewers.keys().map(String::as_str), 4),
        cluster.id
    ));
}

/// Builds a contradiction, citing both sides.
pub fn ambiguous(
    feedback: &Feedback,
    path: &str,
    opposing: &[Neighbour<'_>],
    policy: &Policy,
    now: Timestamp,
) -> AmbiguousRecord {
    let d = &feedback.decision;
    let text = line(feedback.text().as_deref().unwrap_or_default(), QUOTE);
    let this_side = Side {
        feedback_id: feedback.id.clone(),
        reviewer_id: d.reviewer_id.clone(),
        decision: d.verdict,
        timestamp: d.timestamp,
        direction: feedback.stance.direction,
        text,
        similarity: None,
        record: path.to_owned(),
    };
    let other_side: Vec<Side> = opposing
        .iter()
        .filter(|n| n.similarity >= policy.similar_at)
        .take(crate::clusters::evaluation::MAX_SIMILAR)
        .map(|n| Side {
            feedback_id: n.member.id.clone(),
            reviewer_id: n.member.reviewer.clone(),
            decision: n.member.verdict,
            timestamp: n.member.at,
            direction: n.member.direction,
            text: n.member.text.clone(),
            similarity: Some(round(n.similarity)),
            record: n.member.path.clone(),
        })
        .collect();
    let other = other_side.first();
    let question = format!(
        "{} {} and {} {}. Which of the two applies to {}?",
        d.reviewer_id,
        says(d.verdict, this_side.direction, &line(&this_side.text, 120)),
        other.map_or("someone", |s| s.reviewer_id.as_str()),
        other.map_or_else(|| "said the opposite".to_owned(), |s| says(s.decision, s.direction, &line(&s.text, 120))),
        feedback.agent
    );
    AmbiguousRecord {
        schema: AmbiguousRecord::SCHEMA.to_owned(),
        feedback_id: feedback.id.clone(),
        tenant_id: Some(feedback.tenant.clone()).filter(|t| !t.is_empty()),
        agent: feedback.agent.clone(),
        gate: d.gate,
        question,
        this_side,
        other_side,
        status: AmbiguousStatus::Open,
        opened_at: now,
        resolution: None,
        resolved_as: None,
        rationale: None,
        resolved_by: None,
        resolved_at: None,
    }
}

/// Builds the record of an entry that could not be processed: redacted and shortened, since Git never forgets.
pub fn dead_letter(entry: &RawEntry, rejection: &Rejection, personal: &Personal) -> DeadLetterRecord {
    // Cleaned first: a hidden character inside a secret would hide the secret.
    let tame = |text: &str| line(&redact(&personal.clean(text)).text, FIELD);
    let mut fields = BTreeMap::new();
    for (name, value) in entry.fields.iter().take(64) {
        let mut value = Value::String(personal.clean(&String::from_utf8_lossy(value)));
        // A field called `password` is masked whatever its content.
        redact_json(name, &mut value);
        let mut name = tame(name);
        while fields.contains_key(&name) {
            name.push('_');
        }
        fields.insert(name, line(value.as_str().unwrap_or_default(), FIELD));
    }
    DeadLetterRecord {
        schema: DeadLetterRecord::SCHEMA.to_owned(),
        source: Source { stream: entry.stream.clone(), entry_id: entry.id.clone() },
        code: rejection.code,
        field: rejection.field.as_deref().map(tame),
        message: tame(&rejection.message),
        fields,
    }
}

fn says(verdict: Verdict, direction: Direction, text: &str) -> String {
    let verdict = match verdict {
        Verdict::Approved => "approved",
        Verdict::Rejected => "rejected",
        Verdict::ApprovedWithChanges => "approved with changes",
    };
    let way = match direction {
        Direction::More => " and wants it",
        Direction::Less => " and does not want it",
        Direction::Unclear => "",
    };
    format!("{verdict}{way} (“{text}”)")
}
