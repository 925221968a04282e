//! What people teach: contradictions decided, clusters merged and split, feedback moved.
//!
//! All of it is written into the records it concerns, so that an index made anew says the same.

use super::reviewing::Reviewed;
use super::{Batch, Edit};
use crate::app::pipeline::PipelineError;
use crate::app::pipeline::state::overruled;
use crate::domain::cluster::{Cluster, ClusterKey, MemberKey, Memory};
use crate::domain::feedback::Classification;
use crate::domain::ids::cluster_id;
use crate::domain::layout;
use crate::domain::record::{
    AmbiguousRecord, AmbiguousStatus, DecisionRecord, Refusal, RefusalCode, Resolution, ReviewAction,
};
use crate::domain::review::Review;
use jiff::Timestamp;
use std::collections::BTreeSet;

impl Batch<'_> {
    /// Applies a review that is not about a rule.
    pub(super) fn teach(&mut self, review: &Review, at: Timestamp) -> Reviewed {
        match &review.action {
            ReviewAction::Resolve { feedback_id, resolution } => self.resolve(review, feedback_id, *resolution, at),
            ReviewAction::MergeClusters { from, into } => self.merge(review, from, into),
            ReviewAction::SplitCluster { cluster_id, feedback_ids } => self.split(review, cluster_id, feedback_ids),
            ReviewAction::MoveFeedback { feedback_id, into } => self.move_feedback(review, feedback_id, into),
            ReviewAction::Retract { reviewer, feedback_id } => {
                self.retract(review, reviewer.as_deref(), feedback_id.as_deref(), at)
            }
            _ => impossible("this is decided about a rule"),
        }
    }

    /// Decides a contradiction (002, "Meta-HITL"; contracts, 2.4).
    fn resolve(&mut self, review: &Review, id: &str, resolution: Resolution, at: Timestamp) -> Reviewed {
        let Some(rationale) = review.reason.clone() else {
            let message = "a rationale is required: whoever asks why in a year reads it".to_owned();
            return Ok(Err(Refusal { code: RefusalCode::ReasonMissing, message }));
        };
        let Some(mut edit) = self.take_tiebreak(id)? else {
            let resolved = layout::resolved(id);
            let decided = self.ambiguous.contains_key(&resolved) || self.load::<AmbiguousRecord>(&resolved)?.is_some();
            let (code, message) = if decided {
                (RefusalCode::AlreadyDecided, format!("the contradiction of {id} was decided before"))
            } else {
                let hint = "`feedbackd ambiguous list` names those that wait";
                (RefusalCode::UnknownId, format!("no contradiction of a feedback {id} waits; {hint}"))
            };
            return Ok(Err(Refusal { code, message }));
        };
        let record = &mut edit.after;
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
        self.state.evaluator.overruled.extend(overruled(record));
        let decision_path = record.this_side.record.clone();
        self.put_decided(id, edit);
        self.dissents_no_more(id)?;
        self.settle_resolution(review, id, &decision_path, resolution)?;
        self.counts.rule_events.push(format!("decide the contradiction of {id} as {}", resolution.as_str()));
        Ok(Ok(format!("{id} is {}: {what}", resolution.as_str())))
    }

    /// An open tiebreak as this batch has it so far, taken out to be changed.
    pub(super) fn take_tiebreak(&mut self, id: &str) -> Result<Option<Box<Edit<AmbiguousRecord>>>, PipelineError> {
        let path = layout::ambiguous(id);
        match self.ambiguous.remove(&path) {
            Some(edit) => Ok(Some(edit)),
            None if self.removed.contains(&path) => Ok(None),
            None => Ok(self.load::<AmbiguousRecord>(&path)?.map(Edit::of)),
        }
    }

    /// Puts a decided tiebreak among the others; people's notes in the file move with it.
    pub(super) fn put_decided(&mut self, id: &str, edit: Box<Edit<AmbiguousRecord>>) {
        if edit.before.is_some() {
            self.removed.insert(layout::ambiguous(id));
        }
        self.ambiguous.insert(layout::resolved(id), edit);
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
        match (resolution, self.state.evaluator.memory.key_of(id)) {
            (Resolution::Generalizable, Some(key)) => {
                let memory = &mut self.state.evaluator.memory;
                memory.note_evaluation(key, Classification::EdgeCase, memory.member(key).revision);
                let near = self.state.evaluator.groups_near(key);
                let memory = &mut self.state.evaluator.memory;
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
                let Some(mut edit) = self.take_decision(path)? else { return Ok(()) };
                let evaluation = &mut edit.after.evaluation;
                evaluation.classification = Classification::EdgeCase;
                evaluation.confidence = 0.95;
                evaluation.rationale =
                    format!("{} decided that this holds in this case only: {why}", review.reviewer_id);
                evaluation.revision += 1;
                evaluation.evaluated_at = self.now;
                let revision = evaluation.revision;
                self.decisions.insert(path.to_owned(), edit);
                let edge_case = self.open_edge_case(path);
                if let Some(key) = self.state.evaluator.memory.key_of(id) {
                    let memory = &mut self.state.evaluator.memory;
                    memory.note_evaluation(key, Classification::EdgeCase, revision);
                    memory.note_edge_case(key, edge_case);
                }
            }
            (Resolution::Ignore, _) | (Resolution::Generalizable, None) => {
                let Some(mut edit) = self.take_decision(path)? else { return Ok(()) };
                let evaluation = &mut edit.after.evaluation;
                evaluation.rationale =
                    format!("{} {} decided: {} ({why})", evaluation.rationale, review.reviewer_id, resolution.as_str());
                evaluation.revision += 1;
                evaluation.evaluated_at = self.now;
                self.decisions.insert(path.to_owned(), edit);
            }
        }
        Ok(())
    }

    fn merge(&mut self, review: &Review, from: &str, into: &str) -> Reviewed {
        if from == into {
            return impossible("a cluster cannot be merged into itself");
        }
        let (from_key, into_key) = match (self.cluster(from), self.cluster(into)) {
            (Ok(from), Ok(into)) => (from, into),
            (Err(refusal), _) | (_, Err(refusal)) => return Ok(Err(refusal)),
        };
        let memory = &mut self.state.evaluator.memory;
        let (a, b) = (memory.cluster(into_key), memory.cluster(from_key));
        if whom(memory, a) != whom(memory, b) {
            return impossible("the two are about different agents");
        }
        // That they seem to point opposite ways is the program's reading; people know better.
        let members: Vec<MemberKey> = a.members.iter().chain(&b.members).copied().collect();
        let moved = b.members.len();
        let (decided, proposal) = (b.decided_by.clone(), b.proposal.clone());
        let cluster = memory.cluster_mut(into_key);
        // What people decided about one of the two holds for both.
        cluster.decided_by = cluster.decided_by.take().or(decided);
        cluster.merged_into = None;
        memory.assign(into_key, &members);
        memory.cluster_mut(from_key).merged_into = Some(into.to_owned());
        self.regrouped(&[from_key, into_key]);
        if let Some(proposal) = proposal {
            self.follow(&proposal, into_key)?;
        }
        self.counts.rule_events.push(format!("merge {from} into {into}"));
        Ok(Ok(format!("what was in {from} ({moved}) belongs to {into} now, as {} says", review.reviewer_id)))
    }

    /// A rule whose cluster was merged into another one goes on with that one.
    fn follow(&mut self, rule: &str, cluster: ClusterKey) -> Result<(), PipelineError> {
        let name = self.state.evaluator.memory.cluster(cluster).id.clone();
        let Some(mut record) = self.state.rules.get(rule).map(|r| r.record.clone()) else { return Ok(()) };
        if record.cluster_id != name && !record.merged_clusters.contains(&name) {
            if self.hold_rule(rule)?.is_err() {
                return Ok(());
            }
            record.merged_clusters.push(name);
            self.put_rule(record);
        }
        self.state.link_proposal(cluster, rule);
        Ok(())
    }

    fn split(&mut self, review: &Review, id: &str, feedback_ids: &[String]) -> Reviewed {
        let key = match self.cluster(id) {
            Ok(key) => key,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let memory = &mut self.state.evaluator.memory;
        let chosen: BTreeSet<MemberKey> = feedback_ids.iter().filter_map(|id| memory.key_of(id)).collect();
        let inside = chosen.iter().all(|m| memory.member(*m).cluster == Some(key));
        if chosen.is_empty() || chosen.len() != feedback_ids.iter().collect::<BTreeSet<_>>().len() || !inside {
            return impossible(&format!("not all of them are members of {id}"));
        }
        if chosen.len() == memory.cluster(key).members.len() {
            return impossible("nothing would be left of the cluster");
        }
        let members: Vec<MemberKey> = chosen.into_iter().collect();
        let founder = memory.member(members[0]).id.clone();
        // The founder's own cluster may be the one that is split.
        let own = cluster_id(&founder);
        let fresh = if memory.find_cluster(&own).is_some() {
            cluster_id(&format!("{founder} {}", review.review_id))
        } else {
            own
        };
        let fresh_key = memory.cluster_named(&fresh);
        memory.assign(fresh_key, &members);
        self.regrouped(&[key, fresh_key]);
        self.leave_proposal(key, &members)?;
        self.counts.rule_events.push(format!("split {fresh} from {id}"));
        Ok(Ok(format!("{} of {id} make {fresh} now", members.len())))
    }

    fn move_feedback(&mut self, _review: &Review, id: &str, into: &str) -> Reviewed {
        let into_key = match self.cluster(into) {
            Ok(key) => key,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let memory = &mut self.state.evaluator.memory;
        let Some(key) = memory.key_of(id) else {
            return Ok(Err(Refusal {
                code: RefusalCode::UnknownId,
                message: format!("there is no feedback {id} that asks for something"),
            }));
        };
        let member = memory.member(key);
        let from = member.cluster;
        if from == Some(into_key) {
            return impossible(&format!("{id} is in {into}"));
        }
        if member.withdrawn {
            return impossible(&format!("{id} is withdrawn"));
        }
        if member.classification == Classification::Ambiguous {
            return impossible(&format!("{id} contradicts earlier feedback; decide that first"));
        }
        let cluster = memory.cluster(into_key);
        if whom(memory, cluster) != Some((&member.tenant, &member.agent)) {
            return impossible("the two are about different agents");
        }
        let mut members = memory.cluster(into_key).members.clone();
        members.push(key);
        memory.assign(into_key, &members);
        self.unsettled.insert(key);
        if let Some(from) = from {
            self.leave_proposal(from, &[key])?;
        }
        self.regrouped(&from.into_iter().chain([into_key]).collect::<Vec<_>>());
        self.counts.rule_events.push(format!("move {id} to {into}"));
        Ok(Ok(format!("{id} belongs to {into} now")))
    }

    /// A cluster that has members.
    fn cluster(&self, id: &str) -> Result<ClusterKey, Refusal> {
        let memory = &self.state.evaluator.memory;
        let unknown = || Refusal {
            code: RefusalCode::UnknownId,
            message: format!("there is no cluster {id} with members; `feedbackd clusters list` names them"),
        };
        memory.find_cluster(id).filter(|key| !memory.cluster(*key).members.is_empty()).ok_or_else(unknown)
    }

    /// Everything that belongs to these clusters is looked at again.
    pub(super) fn regrouped(&mut self, clusters: &[ClusterKey]) {
        for key in clusters {
            self.touched.insert(*key);
            self.unsettled.extend(self.state.evaluator.memory.cluster(*key).members.iter().copied());
        }
    }

    /// A decision's record as this batch has it so far, taken out to be changed.
    pub(super) fn take_decision(&mut self, path: &str) -> Result<Option<Box<Edit<DecisionRecord>>>, PipelineError> {
        match self.decisions.remove(path) {
            Some(edit) => Ok(Some(edit)),
            None => Ok(self.load::<DecisionRecord>(path)?.map(Edit::of)),
        }
    }
}

/// The tenant and the agent that a cluster is about.
fn whom<'m>(memory: &'m Memory, cluster: &Cluster) -> Option<(&'m String, &'m String)> {
    cluster.members.first().map(|m| memory.member(*m)).map(|m| (&m.tenant, &m.agent))
}

pub(super) fn impossible(message: &str) -> Reviewed {
    Ok(Err(Refusal { code: RefusalCode::Impossible, message: message.to_owned() }))
}
