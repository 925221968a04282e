//! What people teach: contradictions decided; what belongs together is in `grouping`.
//!
//! All of it is written into the records it concerns, so that an index made anew says the same.

use super::Batch;
use super::reviewing::Reviewed;
use crate::app::pipeline::PipelineError;
use crate::app::pipeline::state::overruled;
use crate::domain::grouping::ClusterKey;
use crate::domain::grouping::evaluation::Classification;
use crate::domain::ids::cluster_id;
use crate::domain::intake::submission::Review;
use crate::domain::intake::submission::{Resolution, ReviewAction};
use crate::domain::records::layout;
use crate::domain::records::record::{AmbiguousRecord, AmbiguousStatus, DecisionRecord, Refusal, RefusalCode};
use jiff::Timestamp;

impl Batch<'_> {
    /// Applies a review that is not about a rule.
    pub(super) fn teach(&mut self, review: &Review, at: Timestamp) -> Reviewed {
        match &review.action {
            ReviewAction::Resolve { feedback_id, resolution } => self.resolve(review, feedback_id, *resolution, at),
            ReviewAction::MergeClusters { from, into } => self.merge(review, from, into),
            ReviewAction::SplitCluster { cluster_id, feedback_ids } => self.split(review, cluster_id, feedback_ids),
            ReviewAction::MoveFeedback { feedback_id, into } => self.move_feedback(review, feedback_id, into),
            ReviewAction::Same { a, b } => self.same(review, a, b),
            ReviewAction::KeepApart { a, b } => self.keep_apart(review, a, b),
            ReviewAction::Retract { reviewer, feedback_id } => {
                self.retract(review, reviewer.as_deref(), feedback_id.as_deref(), at)
            }
            _ => impossible("this is decided about a rule"),
        }
    }

    /// Decides a contradiction (specification, "Learning: Meta-HITL"; specification, "Reviews").
    fn resolve(&mut self, review: &Review, id: &str, resolution: Resolution, at: Timestamp) -> Reviewed {
        let Some(rationale) = review.reason.clone() else {
            let message = "a rationale is required: whoever asks why in a year reads it".to_owned();
            return Ok(Err(Refusal { code: RefusalCode::ReasonMissing, message }));
        };
        let Some(record) = self.open_tiebreak_of(id)? else {
            let decided = self.open::<AmbiguousRecord>(&layout::resolved(id))?.is_some();
            let (code, message) = if decided {
                (RefusalCode::AlreadyDecided, format!("the contradiction of {id} was decided before"))
            } else {
                let hint = "`feedbackd ambiguous list` names those that wait";
                (RefusalCode::UnknownId, format!("no contradiction of a feedback {id} waits; {hint}"))
            };
            return Ok(Err(Refusal { code, message }));
        };
        record.status = AmbiguousStatus::Resolved;
        record.resolved_as = Some(resolution);
        record.rationale = Some(rationale.clone());
        record.resolved_by = Some(review.review_id.clone());
        record.resolved_at = Some(at);
        let what = match resolution {
            Resolution::Generalizable => "this side holds in general, a proposal follows",
            Resolution::EdgeCase => "this side holds in this case only",
            Resolution::Ignore => "nothing is learned from it",
        };
        record.resolution = Some(format!(
            "{} decided on {} as {}: {what}. {rationale}",
            review.reviewer_id,
            at.strftime("%Y-%m-%d"),
            resolution.as_str()
        ));
        let (overruled, decision_path) = (overruled(record), record.this_side.record.clone());
        self.state.remarks.overruled.extend(overruled);
        self.put_decided(id);
        self.dissents_no_more(id)?;
        self.settle_resolution(review, id, &decision_path, resolution)?;
        self.counts.rule_events.push(format!("decide the contradiction of {id} as {}", resolution.as_str()));
        Ok(Ok(format!("{id} is {}: {what}", resolution.as_str())))
    }

    /// An open tiebreak as this batch has it so far, to be changed.
    pub(super) fn open_tiebreak_of(&mut self, id: &str) -> Result<Option<&mut AmbiguousRecord>, PipelineError> {
        let path = layout::ambiguous(id);
        if self.staging.is_removed(&path) { Ok(None) } else { self.open(&path) }
    }

    /// Puts a decided tiebreak among the others; people's notes in the file move with it.
    pub(super) fn put_decided(&mut self, id: &str) {
        self.staging.move_to(&layout::ambiguous(id), layout::resolved(id));
    }

    /// What the decision means for the feedback itself.
    fn settle_resolution(
        &mut self,
        review: &Review,
        id: &str,
        path: &str,
        resolution: Resolution,
    ) -> Result<(), PipelineError> {
        let why = review.reason.clone().unwrap_or_default();
        match (resolution, self.state.remarks.groups.key_of(id)) {
            (Resolution::Generalizable, Some(key)) => {
                let memory = &mut self.state.remarks.groups;
                memory.note_evaluation(key, Classification::EdgeCase, memory.member(key).revision);
                let near = self.evaluator().group_near(key, self.found.get(&key))?;
                let memory = &mut self.state.remarks.groups;
                let own = cluster_id(id);
                let cluster = near.unwrap_or_else(|| memory.cluster_named(&own));
                let mut members = memory.cluster(cluster).members.clone();
                members.push(key);
                memory.cluster_mut(cluster).decided_by = Some(review.review_id.clone());
                memory.assign(cluster, &members);
                self.unsettled.extend(members);
                self.touched.insert(cluster);
            }
            (Resolution::EdgeCase, _) => {
                let now = self.now;
                let Some(decision) = self.open::<DecisionRecord>(path)? else { return Ok(()) };
                let evaluation = &mut decision.evaluation;
                evaluation.classification = Classification::EdgeCase;
                evaluation.confidence = 0.95;
                evaluation.rationale =
                    format!("{} decided that this holds in this case only: {why}", review.reviewer_id);
                evaluation.revision += 1;
                evaluation.evaluated_at = now;
                let revision = evaluation.revision;
                let edge_case = self.open_edge_case(path);
                if let Some(key) = self.state.remarks.groups.key_of(id) {
                    let memory = &mut self.state.remarks.groups;
                    memory.note_evaluation(key, Classification::EdgeCase, revision);
                    memory.note_edge_case(key, edge_case);
                }
            }
            (Resolution::Ignore, _) | (Resolution::Generalizable, None) => {
                let now = self.now;
                let Some(decision) = self.open::<DecisionRecord>(path)? else { return Ok(()) };
                let evaluation = &mut decision.evaluation;
                evaluation.rationale =
                    format!("{} {} decided: {} ({why})", evaluation.rationale, review.reviewer_id, resolution.as_str());
                evaluation.revision += 1;
                evaluation.evaluated_at = now;
            }
        }
        Ok(())
    }

    /// Everything that belongs to these clusters is looked at again.
    pub(super) fn regrouped(&mut self, clusters: &[ClusterKey]) {
        for key in clusters {
            self.touched.insert(*key);
            self.unsettled.extend(self.state.remarks.groups.cluster(*key).members.iter().copied());
        }
    }
}

pub(super) fn impossible(message: &str) -> Reviewed {
    Ok(Err(Refusal { code: RefusalCode::Impossible, message: message.to_owned() }))
}
