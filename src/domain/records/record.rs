//! The closed set of what is persisted, as people read it in the store (specification, "The store").
//!
//! A field that is not here is not stored. Where each record lies is `layout`'s work.

mod advice;
mod review;
mod rule;

pub use advice::{AdviceOutcome, AdviceRecord, AdviceReply, DraftReply, PairReply, PairVerdict};
pub use review::{
    AlertRecord, GapFigures, ImportRecord, InjectionRecord, Refusal, RefusalCode, ReviewOutcome, ReviewRecord,
};
pub use rule::{
    Approval, Card, ConflictReport, EarlierVersion, Example, Flag, LifeEvent, MAX_EVIDENCE, ProposalRecord,
    ProposalStatus, RuleType, Scope,
};

use crate::domain::grouping::evaluation::{Classification, Evaluation};
use crate::domain::ids::Gate;
use crate::domain::intake::event::RejectCode;
use crate::domain::intake::feedback::words;
use crate::domain::intake::submission::Resolution;
use crate::domain::language::catalogue::Match;
use crate::domain::language::direction::{Direction, Stance};
use crate::domain::language::remark;
use crate::domain::source::Source;
use crate::domain::verdict::{Severity, Verdict};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One record of the store.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// `decisions/…/<decision_id>.yaml`
    Decision(Box<DecisionRecord>),
    /// `clusters/CLUSTER-<id>.yaml`
    Cluster(ClusterRecord),
    /// `rules/<proposed|active|rejected|retired>/RULE-<year>-<nnnn>.yaml`
    Proposal(Box<ProposalRecord>),
    /// `edge_cases/…/EDGE-<year>-<nnnn>.yaml`
    EdgeCase(EdgeCaseRecord),
    /// `ambiguous/<feedback_id>.yaml`
    Ambiguous(AmbiguousRecord),
    /// `alerts/dead_letters/…`
    DeadLetter(DeadLetterRecord),
    /// `reviews/…/<review_id>.yaml`
    Review(Box<ReviewRecord>),
    /// `injections/…`
    Injection(InjectionRecord),
    /// `rules/imported/<name>.yaml`
    Import(ImportRecord),
    /// `alerts/…`
    Alert(AlertRecord),
    /// `advice/…`
    Advice(Box<AdviceRecord>),
}

/// A decision with its feedback and its evaluation: the record everything else refers to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DecisionRecord {
    /// `feedbackd.decision/1`
    pub schema: String,
    /// The publisher's id.
    pub decision_id: String,
    /// The canonical gate.
    pub gate: Gate,
    /// The gate as it was spelled.
    pub gate_id: String,
    /// The verdict.
    pub decision: Verdict,
    /// Who decided.
    pub reviewer_id: String,
    /// When.
    pub timestamp: Timestamp,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The epic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epic_id: Option<String>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The agent session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// How long the review took, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_duration_seconds: Option<u64>,
    /// Hash of what the agent offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_output_sha: Option<String>,
    /// Hash of what was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_output_sha: Option<String>,
    /// What the reviewer said, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer_comment: Option<String>,
    /// How much the reviewer minds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Whether the reviewer asks that something be learned from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consider_for_improvement: Option<bool>,
    /// Free tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Fields the publisher sent that are not known, redacted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, serde_json::Value>,
    /// Where it was read first.
    pub source: Source,
    /// What was made of it.
    pub feedback: FeedbackSection,
    /// What the evaluator says of it.
    pub evaluation: Evaluation,
}

impl DecisionRecord {
    /// What was said in words.
    pub fn text(&self) -> Option<String> {
        let section = &self.feedback;
        words(
            section.correction_summary.as_deref().map(|s| (s, section.summary_is_derived)),
            self.reviewer_comment.as_deref(),
        )
    }

    /// The text that is compared with other feedback: that of a correction which says what it wants, unwrapped.
    pub fn compared_text(&self) -> Option<String> {
        if self.feedback.stance.demand && self.feedback.retracted_by.is_none() {
            self.text().map(|text| remark::compared(&text))
        } else {
            None
        }
    }
}

/// The feedback part of a decision record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackSection {
    /// The feedback's id.
    pub feedback_id: String,
    /// The agent whose work was judged.
    pub agent: String,
    /// What was changed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction_summary: Option<String>,
    /// Whether those words were derived from the diff.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary_is_derived: bool,
    /// The correction's diff in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<CorrectionRef>,
    /// Why an announced correction is not in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction_note: Option<String>,
    /// What the remark demands, and which way it points.
    pub stance: Stance,
    /// The concern of the catalogue that it voices, and why it was recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concern: Option<Match>,
    /// Which kinds of secrets were removed from the texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// The edge case this feedback opened, where it is or was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_case: Option<String>,
    /// The review that withdrew this feedback: nothing is learned from it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retracted_by: Option<String>,
}

/// A stored diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CorrectionRef {
    /// Its path in the store.
    pub path: String,
    /// The files it touches; at most 20.
    pub files: Vec<String>,
    /// Lines added.
    pub lines_added: usize,
    /// Lines removed.
    pub lines_removed: usize,
}

/// A group of feedback about the same thing. Small whatever its size: members are found by the `cluster` of
/// their decision records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClusterRecord {
    /// `feedbackd.cluster/1`
    pub schema: String,
    /// `CLUSTER-<id>`
    pub cluster_id: String,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The remark that stands for the others.
    pub title: String,
    /// The class of its pattern.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// Which way its members point.
    pub direction: Direction,
    /// How many feedback records belong to it.
    pub members: u64,
    /// How many different reviewers they have.
    pub reviewer_count: u64,
    /// How many members are similar to another one (0.8 or more): only these make a pattern.
    pub similar_members: u64,
    /// How many different reviewers the similar members have.
    pub similar_reviewers: u64,
    /// The reviewers with the most remarks and how many they made; at most 20.
    pub reviewers: BTreeMap<String, u64>,
    /// The gates and how many members each has.
    pub gates: BTreeMap<String, u64>,
    /// The first member's time.
    pub first_seen: Timestamp,
    /// The last member's time.
    pub last_seen: Timestamp,
    /// A few members that show what the cluster is about.
    pub representatives: Vec<Representative>,
    /// Its proposal, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// Why a pattern has no proposal, where that has a reason: its text cannot become a rule, or says what is in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_proposed: Option<String>,
    /// The review by which people decided that it is a pattern, whatever its numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The cluster that people merged it into; it has no members any more then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// The review by which people last said what belongs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taught_by: Option<String>,
    /// Clusters and feedback that people keep apart from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_apart: Vec<String>,
}

/// A member shown in its cluster's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Representative {
    /// Its id.
    pub feedback_id: String,
    /// Who said it.
    pub reviewer_id: String,
    /// What was said, shortened.
    pub text: String,
    /// Its record in the store.
    pub record: String,
}

/// A remark that was made once, in words a person understands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeCaseRecord {
    /// `feedbackd.edge_case/1`
    pub schema: String,
    /// `EDGE-<year>-<nnnn>`
    pub edge_case_id: String,
    /// The feedback.
    pub feedback_id: String,
    /// Its record in the store.
    pub record: String,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// Who said it.
    pub reviewer_id: String,
    /// When.
    pub timestamp: Timestamp,
    /// What was said, shortened.
    pub what: String,
    /// Why it counts as an edge case.
    pub why: String,
    /// Where it stands.
    pub status: EdgeCaseStatus,
    /// What became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// The cluster it was promoted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_to: Option<String>,
}

/// Where an edge case stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EdgeCaseStatus {
    /// Nobody has said the like yet.
    Open,
    /// Its like arrived; it is part of a pattern.
    Promoted,
}

/// Feedback that contradicts what was said before, and waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AmbiguousRecord {
    /// `feedbackd.ambiguous/1`
    pub schema: String,
    /// The feedback.
    pub feedback_id: String,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// The question to decide, in words.
    pub question: String,
    /// What this feedback says.
    pub this_side: Side,
    /// What was said before.
    pub other_side: Vec<Side>,
    /// Where it stands.
    pub status: AmbiguousStatus,
    /// When it was found.
    pub opened_at: Timestamp,
    /// What a person decided, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// What a person decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_as: Option<Resolution>,
    /// Why, in that person's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The review that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
}

/// One side of a contradiction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// The feedback.
    pub feedback_id: String,
    /// Who said it.
    pub reviewer_id: String,
    /// The verdict.
    pub decision: Verdict,
    /// When.
    pub timestamp: Timestamp,
    /// Which way it points.
    pub direction: Direction,
    /// What was said, shortened.
    pub text: String,
    /// Calibrated similarity to this feedback, 0 to 1; absent on this side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// Its record in the store.
    pub record: String,
}

/// Where an ambiguous feedback stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AmbiguousStatus {
    /// Waits for a person.
    Open,
    /// A person decided; `resolution` says how.
    Resolved,
}

/// An entry that could not be processed: what a person needs to mend its publisher. The original fields, whole
/// and unredacted, go to `asdlc:events:dead_letters` and never into Git.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLetterRecord {
    /// `feedbackd.dead_letter/1`
    pub schema: String,
    /// Where it was read.
    pub source: Source,
    /// The kind of error.
    pub code: RejectCode,
    /// The field that is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Which field is wrong, what was found, what was expected.
    pub message: String,
    /// The original fields, redacted and shortened.
    pub fields: BTreeMap<String, String>,
}
