//! Answers as shown and as printed by `--json`. Field names are stable; fields may be added.
//!
//! Records are shown as stored, with their paths added.

use super::rosters::RosterWaits;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::purity::Purity;
use crate::domain::records::record::{
    AmbiguousRecord, ClusterRecord, DecisionRecord, EdgeCaseRecord, FollowUpRecord, ProposalRecord, ProposalStatus,
};
use crate::domain::records::record::{RuleState, StopsRecord};
use crate::ports::IndexedFeedback;
use crate::text::ids::{CommitId, Gate};
use crate::text::language::direction::Direction;
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// Counts of everything in the store (`status`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The store's last commit.
    pub head: Option<CommitId>,
    /// The store's id, which signatures cover; none if the daemon has not started yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_id: Option<String>,
    /// The commit the index reflects.
    pub index: Option<CommitId>,
    /// How many commits the index is behind.
    pub behind: u64,
    /// Number of feedback records.
    pub feedback: u64,
    /// Feedback by class; every class appears once.
    pub classes: Vec<ClassCount>,
    /// The number of clusters.
    pub clusters: u64,
    /// Proposals that are pending review.
    pub pending_proposals: u64,
    /// The roster change that is pending approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roster_waits: Option<RosterWaits>,
    /// Rules that are stopped: in force, but in no prompt.
    pub stops: StopsRecord,
    /// Patterns held for people to check, because too few of those checked so far are correct.
    pub waiting_patterns: u64,
    /// The purity of clusters that people's answers imply; none if no answer concerns a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purity: Option<Purity>,
    /// One-offs that are still open.
    pub open_edge_cases: u64,
    /// Tiebreaks that are pending a person's decision.
    pub open_ambiguous: u64,
    /// Entries that could not be processed.
    pub dead_letters: u64,
    /// Files of the store that cannot be read.
    pub unreadable: Vec<Unreadable>,
}

/// The number of feedback records in a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// The class.
    pub classification: Classification,
    /// The number of records.
    pub count: u64,
}

/// A file of the store that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// The file.
    pub path: String,
    /// The reason.
    pub why: String,
}

/// A feedback record in a list (`feedback list`, `feedback search`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FeedbackLine {
    /// The line's id.
    pub feedback_id: String,
    /// The publisher's decision id.
    pub decision_id: String,
    /// When it was decided.
    pub timestamp: Timestamp,
    /// The tenant; empty for the default tenant.
    pub tenant_id: String,
    /// The agent whose work was judged.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// The reviewer.
    pub reviewer_id: String,
    /// The verdict.
    pub decision: Verdict,
    /// The class.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// Whether it makes a demand.
    pub demand: bool,
    /// Its direction.
    pub direction: Direction,
    /// The comment; empty if there is none.
    pub text: String,
    /// The cluster.
    pub cluster: Option<String>,
    /// The one-off it opened.
    pub edge_case: Option<String>,
    /// Its file in the store.
    pub path: String,
}

impl From<IndexedFeedback> for FeedbackLine {
    fn from(f: IndexedFeedback) -> FeedbackLine {
        FeedbackLine {
            feedback_id: f.id,
            decision_id: f.decision_id,
            timestamp: f.timestamp,
            tenant_id: f.tenant,
            agent: f.agent,
            gate: f.gate,
            reviewer_id: f.reviewer,
            decision: f.verdict,
            classification: f.classification,
            confidence: f.confidence,
            demand: f.demand,
            direction: f.direction,
            text: f.text,
            cluster: f.cluster,
            edge_case: f.edge_case,
            path: f.path,
        }
    }
}

/// A similar feedback record (`feedback similar`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SimilarLine {
    /// Calibrated similarity, 0 to 1.
    pub similarity: f64,
    /// The feedback.
    #[serde(flatten)]
    pub feedback: FeedbackLine,
}

/// A record and its file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RecordLocation<T> {
    /// Its file in the store.
    pub path: String,
    /// The record, field by field as in the store.
    #[serde(flatten)]
    pub record: T,
}

/// A one-off and its file.
pub type EdgeCaseFile = RecordLocation<EdgeCaseRecord>;

/// A proposal or rule, its file, and its state (`proposals list`, `proposals show`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RuleFile {
    /// Its file in the store.
    pub path: String,
    /// The state, given by the file's directory.
    pub state: RuleState,
    /// The record.
    #[serde(flatten)]
    pub record: ProposalRecord,
}

/// A feedback record with everything linked to it (`feedback show`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FeedbackPage {
    /// Its file in the store.
    pub path: String,
    /// The record.
    pub record: DecisionRecord,
    /// Its cluster.
    pub cluster: Option<RecordLocation<ClusterRecord>>,
    /// The proposal it led to.
    pub proposal: Option<RuleFile>,
    /// The one-off it opened.
    pub edge_case: Option<EdgeCaseFile>,
    /// The tiebreak about it.
    pub ambiguous: Option<RecordLocation<AmbiguousRecord>>,
    /// Later comments about it on the forge, in chronological order.
    pub follow_ups: Vec<RecordLocation<FollowUpRecord>>,
}

/// One cluster (`clusters show`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClusterPage {
    /// The cluster.
    pub cluster: RecordLocation<ClusterRecord>,
    /// Its members, latest first, up to the requested number.
    pub members: Vec<FeedbackLine>,
    /// Its proposal.
    pub proposal: Option<RuleFile>,
}

impl ClusterPage {
    /// Reports whether people may word a rule for it: it has none.
    pub fn may_be_worded(&self) -> bool {
        self.proposal.is_none() && self.cluster.record.merged_into.is_none()
    }
}

/// Filter for one-offs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeCaseFilter {
    /// Restricts the list to this agent.
    pub agent: Option<String>,
    /// Restricts the list to open ones.
    pub open_only: bool,
    /// Maximum number; 0 means no limit.
    pub limit: usize,
}

/// A contradiction with its path.
pub type AmbiguousFile = RecordLocation<AmbiguousRecord>;

/// The effects of a withdrawal (`retract`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Retraction {
    /// The comments.
    pub feedback: Vec<FeedbackLine>,
    /// The clusters that would lose members.
    pub clusters: Vec<String>,
    /// The open proposals and the rules in force that rest on them.
    pub rules: Vec<RetractedRule>,
}

/// A rule that would lose evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RetractedRule {
    /// The line's id.
    pub rule_id: String,
    /// Its status.
    pub status: ProposalStatus,
    /// Its one-line title.
    pub title: String,
    /// Number of comments it rests on now.
    pub evidence_now: u64,
    /// Number of comments that would remain.
    pub evidence_left: u64,
}
