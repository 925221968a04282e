//! People's teaching: decided contradictions; for what belongs together, see `grouping`.
//!
//! All of it is written into the records it concerns, so that it survives a rebuild of the index.

use super::cluster_edits::{keep_apart, merge, move_feedback, same, split};
use super::comment_lists::{ListAnswer, sort};
use super::comment_marks::mark;
use super::withdrawal::retract;
use super::worded_rules::word_rule;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::submission::Review;
use crate::domain::intake::submission::{Resolution, ReviewAction};
use crate::domain::records::layout;
use crate::domain::records::record::{AmbiguousRecord, DecisionRecord, RefusalCode};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::clusters::contradictions::{ContradictionDecision, decide_tiebreak};
use crate::pipeline::clusters::one_offs::open_edge_case;
use crate::pipeline::clusters::reconciliation::come_again;
use crate::pipeline::error::{PipelineError, ReviewResult, impossible, refuse};
use crate::text::ids::cluster_id;
use jiff::Timestamp;

/// Applies a review that is not about a rule.
pub(crate) fn teach(draft: &mut Draft<'_>, review: &Review, at: Timestamp) -> ReviewResult {
    match &review.action {
        ReviewAction::Resolve { feedback_id, resolution } => resolve(draft, review, feedback_id, *resolution, at),
        ReviewAction::MergeClusters { from, into } => merge(draft, review, from, into),
        ReviewAction::SplitCluster { cluster_id, feedback_ids } => split(draft, review, cluster_id, feedback_ids),
        ReviewAction::WordRule { cluster_id, rule_content } => word_rule(draft, review, cluster_id, rule_content),
        ReviewAction::MoveFeedback { feedback_id, into } => move_feedback(draft, review, feedback_id, into),
        ReviewAction::Same { a, b } => same(draft, review, a, b),
        ReviewAction::KeepApart { a, b } => keep_apart(draft, review, a, b),
        ReviewAction::Sort { same, others, nothing, particular, into } => {
            sort(draft, review, &ListAnswer { same, others, nothing, particular, into: into.as_deref() })
        }
        ReviewAction::Mark { feedback_id, mark: what, demand } => {
            mark(draft, review, feedback_id, *what, demand.as_deref())
        }
        ReviewAction::Retract { reviewer, feedback_id } => {
            retract(draft, review, reviewer.as_deref(), feedback_id.as_deref(), at)
        }
        _ => impossible("this is decided about a rule"),
    }
}

/// Decides a contradiction (specification, "Learning: Meta-HITL"; specification, "Reviews").
fn resolve(draft: &mut Draft<'_>, review: &Review, id: &str, resolution: Resolution, at: Timestamp) -> ReviewResult {
    let Some(rationale) = review.reason.clone() else {
        let message = "a reason is required (`reason` in the review, `--reason` on the command line): later readers \
                       need it"
            .to_owned();
        return refuse(RefusalCode::ReasonMissing, message);
    };
    let what = match resolution {
        Resolution::Generalizable => "this side holds in general; a proposal follows",
        Resolution::EdgeCase => "this side holds in this case only",
        Resolution::Ignore => "nothing is learned from it",
        Resolution::NoContradiction => "both sides hold",
    };
    let told = format!(
        "{} decided on {} as {}: {what}. {rationale}",
        review.reviewer_id,
        at.strftime("%Y-%m-%d"),
        resolution.as_str()
    );
    let decided = ContradictionDecision {
        resolved_as: resolution,
        resolution: told,
        rationale: Some(rationale),
        by: Some(review.review_id.clone()),
        at,
    };
    let Some(record) = decide_tiebreak(draft, id, decided)? else {
        let path = draft.place_of(layout::resolved(id))?;
        let decided = draft.open::<AmbiguousRecord>(&path)?.is_some();
        let (code, message) = if decided {
            (RefusalCode::AlreadyDecided, format!("the contradiction of {id} is already decided"))
        } else {
            let hint = "`feedbackd contradictions list` lists the pending ones";
            (RefusalCode::UnknownId, format!("no contradiction of a feedback {id} is pending; {hint}"))
        };
        return refuse(code, message);
    };
    settle_resolution(draft, review, id, &record.this_side.record, resolution)?;
    draft.counts.rule_events.push(format!("decide the contradiction of {id} as {}", resolution.as_str()));
    Ok(format!("{id} is {}: {what}", resolution.as_str()))
}

/// Applies the decision to the feedback itself.
fn settle_resolution(
    draft: &mut Draft<'_>,
    review: &Review,
    id: &str,
    path: &str,
    resolution: Resolution,
) -> Result<(), PipelineError> {
    let why = review.reason.clone().unwrap_or_default();
    match (resolution, draft.memory.remarks.groups.key_of(id)) {
        (Resolution::Generalizable, Some(key)) => {
            let memory = &mut draft.memory.remarks.groups;
            memory.note_evaluation(key, Classification::EdgeCase, memory.member(key).revision);
            let near = draft.evaluator().group_near(key, draft.found.get(&key))?;
            let memory = &mut draft.memory.remarks.groups;
            let own = cluster_id(id);
            let cluster = near.unwrap_or_else(|| memory.cluster_named(&own));
            let mut members = memory.cluster(cluster).members.clone();
            members.push(key);
            memory.cluster_mut(cluster).decided_by = Some(review.review_id.clone());
            memory.assign(cluster, &members);
            draft.marks.unsettled.extend(members);
            draft.marks.touched.insert(cluster);
        }
        (Resolution::EdgeCase, _) => {
            let now = draft.now;
            let Some(decision) = draft.open::<DecisionRecord>(path)? else { return Ok(()) };
            let evaluation = &mut decision.evaluation;
            evaluation.classification = Classification::EdgeCase;
            evaluation.confidence = 0.95;
            evaluation.rationale = format!("{} decided that this holds in this case only: {why}", review.reviewer_id);
            evaluation.revision += 1;
            evaluation.evaluated_at = now;
            let revision = evaluation.revision;
            let edge_case = open_edge_case(draft, path);
            if let Some(key) = draft.memory.remarks.groups.key_of(id) {
                let memory = &mut draft.memory.remarks.groups;
                memory.note_evaluation(key, Classification::EdgeCase, revision);
                memory.note_edge_case(key, edge_case);
            }
        }
        (Resolution::NoContradiction, Some(key)) => come_again(draft, key)?,
        (Resolution::Ignore, _) | (Resolution::Generalizable | Resolution::NoContradiction, None) => {
            let now = draft.now;
            let Some(decision) = draft.open::<DecisionRecord>(path)? else { return Ok(()) };
            let evaluation = &mut decision.evaluation;
            evaluation.rationale =
                format!("{} {} decided: {} ({why})", evaluation.rationale, review.reviewer_id, resolution.as_str());
            evaluation.revision += 1;
            evaluation.evaluated_at = now;
        }
    }
    Ok(())
}
