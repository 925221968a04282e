//! One gate decision, with all its fields.

use super::comments::comments;
use super::envelope;
use super::limits::{DecodeLimits, check_shape, check_size, check_tenant, has_field, source};
use super::values::{VERDICTS, parse_gate, parse_verdict};
use crate::intake::event::{HitlDecision, RawEntry, Rejection};
use jiff::Timestamp;

/// Fills fields missing in `decision` from `other`, the same decision received on another stream. Existing values stay;
/// repeating it changes nothing.
pub fn fill_missing(decision: &mut HitlDecision, other: &HitlDecision) {
    fill_text(&mut decision.epic_id, &other.epic_id);
    fill_text(&mut decision.task_id, &other.task_id);
    fill_text(&mut decision.session_id, &other.session_id);
    fill_text(&mut decision.agent_output_sha, &other.agent_output_sha);
    fill_text(&mut decision.approved_output_sha, &other.approved_output_sha);
    fill_text(&mut decision.agent, &other.agent);
    fill_text(&mut decision.reviewer_comment, &other.reviewer_comment);
    fill_text(&mut decision.correction_summary, &other.correction_summary);
    fill_text(&mut decision.correction_diff, &other.correction_diff);
    fill_text(&mut decision.correction_diff_path, &other.correction_diff_path);
    fill_text(&mut decision.tenant_id, &other.tenant_id);
    decision.review_duration_seconds = decision.review_duration_seconds.or(other.review_duration_seconds);
    decision.severity = decision.severity.or(other.severity);
    decision.consider_for_improvement = decision.consider_for_improvement.or(other.consider_for_improvement);
    if decision.comments.is_empty() {
        decision.comments.clone_from(&other.comments);
    }
    if decision.tags.is_empty() {
        decision.tags.clone_from(&other.tags);
    }
    for (name, value) in &other.extra {
        decision.extra.entry(name.clone()).or_insert_with(|| value.clone());
    }
}

/// Copies a text if there is none yet; an empty text counts as none.
pub fn fill_text(to: &mut Option<String>, from: &Option<String>) {
    if to.as_deref().is_none_or(str::is_empty) && from.as_deref().is_some_and(|text| !text.is_empty()) {
        to.clone_from(from);
    }
}

/// Decodes one HITL decision (specification, "Decisions").
pub(super) fn decision(entry: &RawEntry, limits: &DecodeLimits, now: Timestamp) -> Result<HitlDecision, Rejection> {
    check_size(entry, limits)?;
    let mut fields = envelope::unpack(entry, limits, |entry| has_field(entry, "decision_id"))?;
    check_shape(&fields, limits)?;
    // All required fields first: tag errors must not hide a decision rejected for its gate.
    let decision_id = fields.required_id("decision_id")?;
    let gate_id = fields.required("gate_id", "HITL-<n> or hitl_<n>_<name>")?;
    let gate = parse_gate("gate_id", &gate_id)?;
    let verdict = parse_verdict(&fields.required("decision", VERDICTS)?)?;
    let reviewer_id = fields.required_id("reviewer_id")?;
    let timestamp = fields.required_time("timestamp", now)?;
    let tenant_id = fields.text("tenant_id");
    check_tenant(tenant_id.as_deref(), limits)?;
    let comments = comments(&mut fields, now)?;
    Ok(HitlDecision {
        decision_id,
        gate_id,
        gate,
        epic_id: fields.text("epic_id"),
        task_id: fields.text("task_id"),
        session_id: fields.text("session_id"),
        verdict,
        reviewer_id,
        timestamp,
        review_duration_seconds: fields.seconds("review_duration_seconds"),
        agent_output_sha: fields.text("agent_output_sha"),
        approved_output_sha: fields.text("approved_output_sha"),
        agent: fields.agent(),
        reviewer_comment: fields.text("reviewer_comment"),
        comments,
        correction_summary: fields.text("correction_summary"),
        correction_diff: fields.text("correction_diff"),
        correction_diff_path: fields.text("correction_diff_path"),
        severity: fields.severity("severity"),
        consider_for_improvement: fields.flag("consider_for_improvement"),
        tenant_id,
        tags: fields.list("tags"),
        extra: fields.into_extra(),
        source: source(entry),
    })
}
