//! The interfaces of the specification ("Learning: Evaluation"), on the pipeline: `FeedbackService` and `EvaluatorAgent`.
//!
//! For callers that have one feedback in hand rather than a stream. They are synchronous: the pipeline is. Recording
//! goes the same way as a batch from the stream, with the same guarantees.

use super::{EntryOutcome, Pipeline, PipelineError, drafting};
use crate::app::queries::{Queries, QueryError, SimilarTo};
use crate::domain::grouping::cluster::{Member, Memory};
use crate::domain::grouping::evaluation::Evaluation;
use crate::domain::intake::decode::Decoded;
use crate::domain::intake::event::{HitlDecision, RawEntry, StreamKind};
use crate::domain::intake::feedback::Feedback;
use crate::domain::records::layout;
use crate::domain::records::record::{ConflictReport, DecisionRecord, ProposalRecord};
use crate::domain::rules::drafting::proposal::{self, Relation};
use crate::domain::yaml;
use crate::ports::FeedbackFilter;
use jiff::Timestamp;

/// Records feedback and finds it again (specification, "Learning: Evaluation").
pub trait FeedbackService {
    /// Stores a decision with its feedback and its evaluation, durably; returns the feedback's id. A decision that is
    /// known keeps its record.
    ///
    /// # Errors
    /// When nothing was recorded; try again later.
    fn record_feedback(&mut self, decision: HitlDecision, now: Timestamp) -> Result<String, PipelineError>;

    /// The record of a feedback; `None` where there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get_feedback(&self, feedback_id: &str) -> Result<Option<DecisionRecord>, QueryError>;

    /// Feedback that is semantically similar to another one, best first. `threshold` is a calibrated similarity, 0 to
    /// 1; the specification's default is 0.8.
    ///
    /// # Errors
    /// When there is no such feedback, or the store cannot be read.
    fn find_similar(&self, feedback_id: &str, threshold: f64) -> Result<Vec<DecisionRecord>, QueryError>;

    /// The latest feedback to an agent; `limit` is 100 in the specification.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get_feedback_for_agent(&self, agent: &str, limit: usize) -> Result<Vec<DecisionRecord>, QueryError>;
}

/// Judges feedback and drafts rules (specification, "Learning: Evaluation"). Nothing is recorded.
pub trait EvaluatorAgent {
    /// What the evaluation of a feedback would be if it were recorded now.
    fn evaluate(&mut self, feedback: &Feedback, now: Timestamp) -> Evaluation;

    /// The rule that a group of feedback asks for; `None` where none of it can be compared, or no rule can be made of
    /// it. Its id is given when it is filed.
    fn generate_rule_proposal(&self, feedback_ids: &[&str], now: Timestamp) -> Option<ProposalRecord>;

    /// The pending proposals and active rules that say the same or the opposite.
    fn check_rule_conflicts(&self, proposal: &ProposalRecord) -> Vec<ConflictReport>;
}

impl FeedbackService for Pipeline {
    fn record_feedback(&mut self, decision: HitlDecision, now: Timestamp) -> Result<String, PipelineError> {
        let entry = RawEntry {
            stream: decision.source.stream.clone(),
            kind: StreamKind::HitlDecisions,
            id: decision.source.entry_id.clone(),
            fields: Vec::new(),
            gate_request: None,
        };
        let decoded = Decoded::Decision(Box::new(decision));
        let processed = self.run(&[entry], &[decoded], now, false)?;
        match processed.outcomes.into_iter().next() {
            Some(EntryOutcome::Recorded(id) | EntryOutcome::Duplicate(id)) => Ok(id),
            other => Err(PipelineError::Record(format!("a decision came to {other:?}"))),
        }
    }

    fn get_feedback(&self, feedback_id: &str) -> Result<Option<DecisionRecord>, QueryError> {
        match self.index().feedback(feedback_id)? {
            Some(found) => self.record_at(&found.path),
            None => Ok(None),
        }
    }

    fn find_similar(&self, feedback_id: &str, threshold: f64) -> Result<Vec<DecisionRecord>, QueryError> {
        let to = SimilarTo::Feedback(feedback_id.to_owned());
        let lines = self.queries().similar(&to, threshold, 0, &FeedbackFilter::default())?;
        self.records(lines.iter().map(|line| line.feedback.path.as_str()))
    }

    fn get_feedback_for_agent(&self, agent: &str, limit: usize) -> Result<Vec<DecisionRecord>, QueryError> {
        let filter = FeedbackFilter { agent: Some(agent.to_owned()), limit, ..FeedbackFilter::default() };
        self.records(self.index().list(&filter)?.iter().map(|found| found.path.as_str()))
    }
}

impl EvaluatorAgent for Pipeline {
    fn evaluate(&mut self, feedback: &Feedback, now: Timestamp) -> Evaluation {
        let mut feedback = feedback.clone();
        let vector = self.outside.understanding.feedback(&feedback).map(|understood| understood.told(&mut feedback));
        let path = layout::decision(feedback.decision.gate, feedback.decision.timestamp, &feedback.id);
        self.state.evaluator.preview(&feedback, vector.as_ref(), &path, now)
    }

    fn generate_rule_proposal(&self, feedback_ids: &[&str], now: Timestamp) -> Option<ProposalRecord> {
        let known = &self.state.evaluator.memory;
        let mut group = Memory::default();
        for member in feedback_ids.iter().filter_map(|id| known.key_of(id)).map(|key| known.member(key)) {
            group.restore(Member { tied: true, ..member.clone() }, Some("CLUSTER-draft"));
        }
        let key = group.find_cluster("CLUSTER-draft")?;
        let cluster = group.cluster(key);
        let members: Vec<&Member> = cluster.members.iter().map(|m| group.member(*m)).collect();
        let diff_of = |member: &Member| self.diff_of(member);
        let drafted = drafting::draft(&group, key, &self.outside.understanding, &diff_of).ok()?;
        let policy = &self.state.evaluator.policy;
        let mut record = proposal::propose(drafted.draft.clone(), cluster, &members, Vec::new(), policy, now);
        drafted.classify(&mut record);
        record.conflicts = self.check_rule_conflicts(&record);
        Some(record)
    }

    fn check_rule_conflicts(&self, proposal: &ProposalRecord) -> Vec<ConflictReport> {
        let new = self.outside.understanding.known_rule(proposal);
        let tenant = proposal.tenant_id.as_deref().unwrap_or_default();
        let mut known = self.state.rules_for(tenant, &proposal.affected_agents);
        known.retain(|rule| rule.id != proposal.proposal_id);
        let policy = &self.state.evaluator.policy;
        match proposal::relate(&new, &known, policy, &self.settings.thresholds) {
            Relation::New(conflicts) => conflicts,
            Relation::Duplicate(id) => vec![ConflictReport {
                reason: format!("{id} says the same already"),
                with: id,
                witness: None,
                similarity: self.settings.thresholds.duplicate_at,
            }],
        }
    }
}

impl Pipeline {
    fn queries(&self) -> Queries<'_> {
        Queries { store: self.store(), index: self.index(), understanding: self.outside.understanding.as_ref() }
    }

    fn records<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Result<Vec<DecisionRecord>, QueryError> {
        paths.filter_map(|path| self.record_at(path).transpose()).collect()
    }

    fn diff_of(&self, member: &Member) -> Option<String> {
        let record = self.record_at(&member.path).ok()??;
        let bytes = self.store().read(self.head()?, &record.feedback.correction?.path).ok()??;
        String::from_utf8(bytes).ok()
    }

    fn record_at(&self, path: &str) -> Result<Option<DecisionRecord>, QueryError> {
        let Some(head) = self.head() else { return Ok(None) };
        let Some(bytes) = self.store().read(head, path)? else { return Ok(None) };
        let unreadable = |message| QueryError::Unreadable { path: path.to_owned(), message };
        yaml::parse(&String::from_utf8_lossy(&bytes)).map(Some).map_err(unreadable)
    }
}
