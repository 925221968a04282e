//! Rules on the pipeline: rules approved, rejected and listed by a caller that has them in
//! hand rather than on a stream. The way into the store is that of a batch, with the same guarantees.

use super::decode::Incoming;
use super::error::PipelineError;
use super::outcome::{EntryOutcome, Processed};
use super::process::Occasion;
use super::state::Pipeline;
use crate::domain::ids::short_hash;
use crate::domain::intake::event::{RawEntry, StreamKind};
use crate::domain::intake::submission::ReviewAction;
use crate::domain::intake::submission::{Review, Submission};
use crate::domain::records::record::{ProposalRecord, Refusal, RefusalCode};
use crate::domain::source::Source;
use jiff::Timestamp;
use thiserror::Error;

/// The stream named in records of reviews that came from a caller of this program.
pub const CALLER: &str = "feedbackd";

/// Why a rule is as it was.
#[derive(Debug, Error)]
pub enum RuleError {
    /// The decision does not count.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// Nothing was recorded; try again later.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
}

/// Decides and lists rules (specification, "Learning: Meta-HITL").
pub trait RuleManager {
    /// The proposals that await review, the oldest first.
    fn get_pending_rules(&self) -> Vec<ProposalRecord>;

    /// Counts an approval of the present version; the last one that is needed brings the rule into force.
    ///
    /// # Errors
    /// When the approval does not count, or could not be recorded.
    fn approve_rule(&mut self, proposal_id: &str, approver_id: &str, now: Timestamp) -> Result<(), RuleError>;

    /// Turns a proposal down.
    ///
    /// # Errors
    /// When the rejection does not count, or could not be recorded.
    fn reject_rule(
        &mut self,
        proposal_id: &str,
        rejector_id: &str,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), RuleError>;
}

impl RuleManager for Pipeline {
    fn get_pending_rules(&self) -> Vec<ProposalRecord> {
        self.memory.rules().filter(|rule| rule.is_pending()).map(|rule| rule.record.clone()).collect()
    }

    fn approve_rule(&mut self, proposal_id: &str, approver_id: &str, now: Timestamp) -> Result<(), RuleError> {
        let hash = self.memory.rule(proposal_id).map(|rule| rule.record.content_hash.clone());
        let action = ReviewAction::Approve { proposal_id: proposal_id.to_owned() };
        self.decide(action, approver_id, None, hash, now)
    }

    fn reject_rule(
        &mut self,
        proposal_id: &str,
        rejector_id: &str,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), RuleError> {
        let action = ReviewAction::Reject { proposal_id: proposal_id.to_owned() };
        self.decide(action, rejector_id, Some(reason.to_owned()), None, now)
    }
}

impl Pipeline {
    /// Takes submissions up that came from a caller rather than from a stream.
    ///
    /// # Errors
    /// When nothing was recorded; try again later.
    pub fn submit(&mut self, submissions: &[Submission], now: Timestamp) -> Result<Processed, PipelineError> {
        let entries: Vec<RawEntry> = (1..=submissions.len())
            .map(|number| RawEntry {
                stream: CALLER.to_owned(),
                kind: StreamKind::MetaHitl,
                id: format!("{}-{number}", now.as_millisecond()),
                fields: Vec::new(),
                gate_request: None,
            })
            .collect();
        let incoming = Incoming::of_submissions(&entries, submissions);
        self.run(&incoming, now, Occasion::Entries)
    }

    fn decide(
        &mut self,
        action: ReviewAction,
        reviewer: &str,
        reason: Option<String>,
        content_hash: Option<String>,
        now: Timestamp,
    ) -> Result<(), RuleError> {
        let what = format!("{action:?} {content_hash:?}");
        let review = Review {
            review_id: format!("call-{}", short_hash(&[&what, reviewer, &now.to_string()])),
            action,
            reviewer_id: reviewer.to_owned(),
            timestamp: now,
            reason,
            content_hash,
            signature: None,
            tenant_id: None,
            source: Source { stream: CALLER.to_owned(), entry_id: now.as_millisecond().to_string() },
        };
        let processed = self.submit(&[Submission::Review(review)], now)?;
        match processed.outcomes.into_iter().next() {
            Some(EntryOutcome::Submitted { .. } | EntryOutcome::Duplicate(_)) => Ok(()),
            Some(EntryOutcome::Refused { refusal, .. }) => Err(RuleError::Refused(refusal)),
            other => {
                let message = format!("a decision came to {other:?}");
                Err(RuleError::Refused(Refusal { code: RefusalCode::Impossible, message }))
            }
        }
    }
}
