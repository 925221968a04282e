//! Withdrawal of feedback that should no longer teach anything, and of evidence that no longer counts.
//!
//! Nothing is deleted: a withdrawn comment's record states who withdrew it and why.

use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterKey, MemberKey};
use crate::domain::intake::submission::Resolution;
use crate::domain::intake::submission::Review;
use crate::domain::records::record::{DecisionRecord, RefusalCode};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::clusters::contradictions::{ContradictionDecision, decide_tiebreak};
use crate::pipeline::error::{PipelineError, ReviewResult, Stop, impossible, refuse};
use crate::pipeline::rules::evidence::withdraw_rules;
use crate::ports::FeedbackFilter;
use crate::text::prose::list;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Withdraws feedback and everything that rests on it alone.
pub(crate) fn retract(
    draft: &mut Draft<'_>,
    review: &Review,
    reviewer: Option<&str>,
    feedback: Option<&str>,
    at: Timestamp,
) -> ReviewResult {
    if !draft.memory.roster.is_approver(&review.reviewer_id) {
        let message = format!("{} is not an approver; only an approver may withdraw feedback", review.reviewer_id);
        return refuse(RefusalCode::NotAnApprover, message);
    }
    let Some(reason) = &review.reason else {
        let message = "a reason is required: later readers need it".to_owned();
        return refuse(RefusalCode::ReasonMissing, message);
    };
    let mut ids = BTreeSet::new();
    for (path, id) in meant(draft, reviewer, feedback)? {
        if mark_withdrawn(draft, &path, &id, review, reason)? {
            ids.insert(id);
        }
    }
    if ids.is_empty() {
        let message = "there is no such feedback, or it is already withdrawn".to_owned();
        return refuse(RefusalCode::UnknownId, message);
    }
    leave_groups(draft, &ids);
    for id in &ids {
        close_withdrawn(draft, review, id, reason, at)?;
    }
    let rules = withdraw_rules(draft, &ids, &review.review_id, at)?;
    draft.reload = true;
    let (remarks, are) = match ids.len() {
        1 => ("1 comment".to_owned(), "is"),
        several => (format!("{several} comments"), "are"),
    };
    draft.counts.rule_events.push(format!("withdraw {remarks}"));
    let gone = match rules.len() {
        0 => "no rule depended on it alone".to_owned(),
        _ => format!("no longer a pattern: {}", list(rules.iter().map(String::as_str), 6)),
    };
    Ok(format!("{remarks} {are} withdrawn; {gone}"))
}

/// Returns the feedback that a review names, by path with its id: all of a reviewer's, or one.
fn meant(draft: &Draft<'_>, reviewer: Option<&str>, feedback: Option<&str>) -> Result<BTreeMap<String, String>, Stop> {
    let index = draft.outside.index.open.as_ref();
    let stored = match (reviewer, feedback) {
        (Some(reviewer), None) => {
            index.list(&FeedbackFilter { reviewer: Some(reviewer.to_owned()), ..FeedbackFilter::default() })?
        }
        (None, Some(id)) => index.feedback(id)?.into_iter().collect(),
        _ => return impossible("name either a reviewer or a feedback"),
    };
    // Records from this batch are not in the index yet.
    let meant = |record: &DecisionRecord| match reviewer {
        Some(reviewer) => record.reviewer_id == reviewer,
        None => feedback == Some(record.feedback.feedback_id.as_str()),
    };
    let fresh = draft.staging.each::<DecisionRecord>().filter(|(_, before, after)| before.is_none() && meant(after));
    let fresh = fresh.map(|(path, _, record)| (path.to_owned(), record.feedback.feedback_id.clone()));
    Ok(fresh.chain(stored.into_iter().map(|f| (f.path, f.id))).collect())
}

/// Records who withdrew a comment and why; returns false if it is already withdrawn or has no record.
fn mark_withdrawn(
    draft: &mut Draft<'_>,
    path: &str,
    id: &str,
    review: &Review,
    reason: &str,
) -> Result<bool, PipelineError> {
    let now = draft.now;
    let Some(record) = draft.open::<DecisionRecord>(path)? else { return Ok(false) };
    if record.feedback.retracted_by.is_some() {
        return Ok(false);
    }
    record.feedback.retracted_by = Some(review.review_id.clone());
    let evaluation = &mut record.evaluation;
    if evaluation.classification != Classification::Positive {
        evaluation.classification = Classification::EdgeCase;
    }
    evaluation.cluster = None;
    evaluation.proposed_action = None;
    evaluation.rationale = format!("Withdrawn by {} ({}): {reason}", review.reviewer_id, review.review_id);
    evaluation.revision += 1;
    evaluation.evaluated_at = now;
    // It is excluded from later comparisons.
    draft.vectors.remove(id);
    Ok(true)
}

/// Removes withdrawn comments from their clusters, which are then re-evaluated.
fn leave_groups(draft: &mut Draft<'_>, ids: &BTreeSet<String>) {
    let groups = &mut draft.memory.remarks.groups;
    let keys: Vec<MemberKey> = ids.iter().filter_map(|id| groups.key_of(id)).collect();
    let left: BTreeSet<ClusterKey> = keys.iter().filter_map(|key| groups.member(*key).cluster).collect();
    groups.withdraw(&keys);
    draft.regrouped(&left.into_iter().collect::<Vec<_>>());
}

/// Closes contradictions of withdrawn feedback.
pub(crate) fn close_withdrawn(
    draft: &mut Draft<'_>,
    review: &Review,
    id: &str,
    reason: &str,
    at: Timestamp,
) -> Result<(), PipelineError> {
    let decided = ContradictionDecision {
        resolved_as: Resolution::Ignore,
        resolution: format!("{} withdrew {id}: {reason}", review.reviewer_id),
        rationale: Some(reason.to_owned()),
        by: Some(review.review_id.clone()),
        at,
    };
    decide_tiebreak(draft, id, decided)?;
    Ok(())
}
