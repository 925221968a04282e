//! Withdrawing: feedback that shall teach nothing any more, and evidence that is none any more.
//!
//! Nothing is deleted: a withdrawn remark's record says who withdrew it and why.

use super::Batch;
use super::reviewing::Reviewed;
use super::teaching::impossible;
use crate::app::pipeline::PipelineError;
use crate::domain::grouping::evaluation::Classification;
use crate::domain::grouping::{ClusterKey, MemberKey};
use crate::domain::intake::submission::Resolution;
use crate::domain::intake::submission::Review;
use crate::domain::prose::list;
use crate::domain::records::record::{AmbiguousStatus, DecisionRecord, ProposalRecord, Refusal, RefusalCode};
use crate::domain::rules::lifecycle::rule::Command;
use crate::ports::FeedbackFilter;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

impl Batch<'_> {
    /// Withdraws feedback, and what rests on it alone.
    pub(super) fn retract(
        &mut self,
        review: &Review,
        reviewer: Option<&str>,
        feedback: Option<&str>,
        at: Timestamp,
    ) -> Reviewed {
        if !self.state.roster.is_approver(&review.reviewer_id) {
            let message = format!("{} is not an approver; only an approver may withdraw feedback", review.reviewer_id);
            return Ok(Err(Refusal { code: RefusalCode::NotAnApprover, message }));
        }
        let Some(reason) = review.reason.clone() else {
            let message = "a reason is required: whoever asks why in a year reads it".to_owned();
            return Ok(Err(Refusal { code: RefusalCode::ReasonMissing, message }));
        };
        let index = self.outside.index.open.as_ref();
        let stored = match (reviewer, feedback) {
            (Some(reviewer), None) => {
                index.list(&FeedbackFilter { reviewer: Some(reviewer.to_owned()), ..FeedbackFilter::default() })?
            }
            (None, Some(id)) => index.feedback(id)?.into_iter().collect(),
            _ => return impossible("name either a reviewer or a feedback"),
        };
        // What came with this batch is not in the index yet.
        let meant = |record: &DecisionRecord| match reviewer {
            Some(reviewer) => record.reviewer_id == reviewer,
            None => feedback == Some(record.feedback.feedback_id.as_str()),
        };
        let fresh = self.staging.each::<DecisionRecord>().filter(|(_, before, after)| before.is_none() && meant(after));
        let fresh = fresh.map(|(path, _, record)| (path.to_owned(), record.feedback.feedback_id.clone()));
        let found: BTreeMap<String, String> = fresh.chain(stored.into_iter().map(|f| (f.path, f.id))).collect();
        let (mut ids, mut keys) = (BTreeSet::new(), Vec::new());
        for (path, id) in found {
            let now = self.now;
            let Some(record) = self.open::<DecisionRecord>(&path)? else { continue };
            if record.feedback.retracted_by.is_none() {
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
                keys.extend(self.state.remarks.groups.key_of(&id));
                // Nothing is compared with it any more.
                self.vectors.remove(&id);
                ids.insert(id);
            }
        }
        if ids.is_empty() {
            let message = "there is no such feedback, or it is withdrawn already".to_owned();
            return Ok(Err(Refusal { code: RefusalCode::UnknownId, message }));
        }
        let clusters: BTreeSet<ClusterKey> =
            keys.iter().filter_map(|k| self.state.remarks.groups.member(*k).cluster).collect();
        self.state.remarks.groups.withdraw(&keys);
        self.regrouped(&clusters.into_iter().collect::<Vec<_>>());
        for id in &ids {
            self.close_withdrawn(review, id, reason.as_str(), at)?;
        }
        let rules = self.withdraw_rules(&ids, &review.review_id, at)?;
        self.reload = true;
        let (remarks, are) = match ids.len() {
            1 => ("1 remark".to_owned(), "is"),
            several => (format!("{several} remarks"), "are"),
        };
        self.counts.rule_events.push(format!("withdraw {remarks}"));
        let gone = match rules.len() {
            0 => "no rule rested on that alone".to_owned(),
            _ => format!("no pattern any more: {}", list(rules.iter().map(String::as_str), 6)),
        };
        Ok(Ok(format!("{remarks} {are} withdrawn; {gone}")))
    }

    /// A contradiction of withdrawn feedback waits for nobody.
    pub(super) fn close_withdrawn(
        &mut self,
        review: &Review,
        id: &str,
        reason: &str,
        at: Timestamp,
    ) -> Result<(), PipelineError> {
        let Some(record) = self.open_tiebreak_of(id)? else { return Ok(()) };
        record.status = AmbiguousStatus::Resolved;
        record.resolved_as = Some(Resolution::Ignore);
        record.rationale = Some(reason.to_owned());
        record.resolved_by = Some(review.review_id.clone());
        record.resolved_at = Some(at);
        record.resolution = Some(format!("{} withdrew {id}: {reason}", review.reviewer_id));
        self.put_decided(id);
        self.dissents_no_more(id)
    }

    /// Takes the withdrawn feedback out of rules' evidence. What is no pattern without it is rejected or rolled back.
    pub(super) fn withdraw_rules(
        &mut self,
        ids: &BTreeSet<String>,
        review: &str,
        at: Timestamp,
    ) -> Result<Vec<String>, PipelineError> {
        let concerned: Vec<String> = self
            .state
            .rules()
            .filter(|r| r.is_living() && r.record.created_from_feedback_ids.iter().any(|id| ids.contains(id)))
            .map(|r| r.record.proposal_id.clone())
            .collect();
        let mut fallen = Vec::new();
        for id in concerned {
            if self.hold_rule(&id)?.is_err() {
                continue;
            }
            let Some(record) = self.state.rule(&id).map(|r| self.without_evidence(&r.record, ids)) else {
                continue;
            };
            // What came from no cluster (a program proposed it, or it is about another rule) stands on what is left.
            let pattern = if record.cluster_id.is_empty() && record.merged_clusters.is_empty() {
                !record.created_from_feedback_ids.is_empty()
            } else {
                std::iter::once(&record.cluster_id).chain(&record.merged_clusters).any(|cluster| {
                    let memory = &self.state.remarks.groups;
                    let class = |key| memory.cluster(key).class(&self.state.remarks.policy);
                    memory.find_cluster(cluster).is_some_and(|key| class(key) == Classification::GeneralizableHigh)
                })
            };
            self.put_rule(record)?;
            if pattern {
                continue;
            }
            let withdraw = Command::Withdraw { reason: format!("its evidence was withdrawn by {review}") };
            if self.command(&id, &withdraw, at)?.is_ok() {
                self.counts.rule_events.push(format!("withdraw {id}"));
                self.keep_target(&id, "no evidence is left for", at)?;
                fallen.push(id);
            }
        }
        Ok(fallen)
    }

    /// A rule without some of its evidence, and without those who said nothing else.
    pub(super) fn without_evidence(&self, record: &ProposalRecord, ids: &BTreeSet<String>) -> ProposalRecord {
        let mut record = record.clone();
        let gone: Vec<&str> =
            record.created_from_feedback_ids.iter().filter(|f| ids.contains(*f)).map(String::as_str).collect();
        if !gone.is_empty() {
            // The words were true when they were written, and tell what approvers saw.
            let since = format!(" Since then no longer counted: {}.", list(gone.into_iter(), 5));
            record.evidence_summary.push_str(&since);
        }
        record.created_from_feedback_ids.retain(|f| !ids.contains(f));
        record.evidence_count = record.created_from_feedback_ids.len() as u64;
        let memory = &self.state.remarks.groups;
        let left = record.created_from_feedback_ids.iter().filter_map(|f| memory.key_of(f));
        let voices: BTreeSet<&str> = left.map(|key| memory.member(key).reviewer.as_str()).collect();
        record.reviewers.retain(|reviewer| voices.contains(reviewer.as_str()));
        record
    }

    /// What left a cluster asks for something else, and is no evidence for the proposal that waits there.
    pub(super) fn leave_proposal(&mut self, cluster: ClusterKey, members: &[MemberKey]) -> Result<(), PipelineError> {
        let memory = &self.state.remarks.groups;
        let Some(rule) = memory.cluster(cluster).proposal.clone() else { return Ok(()) };
        let ids: BTreeSet<String> = members.iter().map(|m| memory.member(*m).id.clone()).collect();
        let Some(entry) = self.state.rule(&rule).filter(|r| r.is_pending()) else { return Ok(()) };
        let record = self.without_evidence(&entry.record, &ids);
        if record.evidence_count != entry.record.evidence_count && self.hold_rule(&rule)?.is_ok() {
            self.put_rule(record)?;
        }
        Ok(())
    }

    /// What was decided, or withdrawn, speaks against no proposal any more.
    pub(super) fn dissents_no_more(&mut self, id: &str) -> Result<(), PipelineError> {
        let concerned: Vec<ProposalRecord> = self
            .state
            .rules()
            .filter(|r| r.is_pending() && r.record.dissent.iter().any(|d| d == id))
            .map(|r| r.record.clone())
            .collect();
        for mut record in concerned {
            if self.hold_rule(&record.proposal_id)?.is_ok() {
                record.dissent.retain(|d| d != id);
                self.put_rule(record)?;
            }
        }
        for against in self.dissent.values_mut() {
            against.remove(id);
        }
        Ok(())
    }
}
