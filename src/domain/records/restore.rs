//! Feedback rebuilt from its record, for comments that are re-read.

use super::record::DecisionRecord;
use crate::intake::event::HitlDecision;
use crate::intake::feedback::{Feedback, Summary};

/// Rebuilds the feedback of a record, as far as possible; corrections are not loaded.
pub fn feedback(record: &DecisionRecord) -> Feedback {
    let section = &record.feedback;
    let summary = section.correction_summary.clone();
    Feedback {
        id: section.feedback_id.clone(),
        tenant: record.tenant_id.clone().unwrap_or_default(),
        agent: section.agent.clone(),
        decision: HitlDecision {
            decision_id: record.decision_id.clone(),
            gate_id: record.gate_id.clone(),
            gate: record.gate,
            epic_id: record.epic_id.clone(),
            task_id: record.task_id.clone(),
            session_id: record.session_id.clone(),
            verdict: record.decision,
            reviewer_id: record.reviewer_id.clone(),
            timestamp: record.timestamp,
            review_duration_seconds: record.review_duration_seconds,
            agent_output_sha: record.agent_output_sha.clone(),
            approved_output_sha: record.approved_output_sha.clone(),
            agent: Some(section.agent.clone()),
            reviewer_comment: record.reviewer_comment.clone(),
            comments: Vec::new(),
            correction_summary: summary.clone().filter(|_| !section.summary_is_derived),
            correction_diff: None,
            correction_diff_path: None,
            severity: record.severity,
            consider_for_improvement: record.consider_for_improvement,
            tenant_id: record.tenant_id.clone(),
            tags: record.tags.clone(),
            extra: record.extra.clone(),
            source: record.source.clone(),
        },
        summary: summary.map(|text| Summary { text, derived: section.summary_is_derived }),
        correction: None,
        correction_note: section.correction_note.clone(),
        places: section.places.clone(),
        comment: record.comment.clone(),
        comments: record.comments.len(),
        stance: section.stance.clone(),
        concern: section.concern.clone(),
        reading: section.reading.clone(),
        marked: section.marked.clone(),
        redacted: section.redacted.clone(),
    }
}
