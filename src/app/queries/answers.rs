//! The answers, as they are shown and as `--json` prints them. Field names are stable; fields may be added.
//!
//! Records are shown as they stand in the store; what is added to them is where they lie.

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

/// How much of everything there is (`status`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The store's last commit.
    pub head: Option<CommitId>,
    /// The store's id, which signatures are for; none where the daemon has not started yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_id: Option<String>,
    /// The commit the index reflects.
    pub index: Option<CommitId>,
    /// How many commits the index is behind.
    pub behind: u64,
    /// All feedback.
    pub feedback: u64,
    /// Feedback by class, every class once.
    pub classes: Vec<ClassCount>,
    /// Clusters.
    pub clusters: u64,
    /// Proposals that await review.
    pub pending_proposals: u64,
    /// The change of the roster that waits for approvals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roster_waits: Option<RosterWaits>,
    /// Which rules are stopped: in force, and in no prompt.
    pub stops: StopsRecord,
    /// Patterns that wait for people, because too few of those that people looked at are right.
    pub waiting_patterns: u64,
    /// What people's answers imply for groups; nothing where none bears on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purity: Option<Purity>,
    /// Edge cases that are still open.
    pub open_edge_cases: u64,
    /// Tiebreaks that wait for a person.
    pub open_ambiguous: u64,
    /// Entries that could not be processed.
    pub dead_letters: u64,
    /// Files of the store that cannot be read.
    pub unreadable: Vec<Unreadable>,
}

/// How many feedback records have a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// The class.
    pub classification: Classification,
    /// How many.
    pub count: u64,
}

/// A file of the store that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// The file.
    pub path: String,
    /// Why.
    pub why: String,
}

/// One feedback in a list (`feedback list`, `feedback search`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FeedbackLine {
    /// Its id.
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
    /// Who decided.
    pub reviewer_id: String,
    /// The verdict.
    pub decision: Verdict,
    /// The class.
    pub classification: Classification,
    /// The probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// Whether it makes a demand.
    pub demand: bool,
    /// Which way it points.
    pub direction: Direction,
    /// What was said; empty where nothing was.
    pub text: String,
    /// The cluster.
    pub cluster: Option<String>,
    /// The edge case it opened.
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

/// One similar feedback (`feedback similar`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SimilarLine {
    /// Calibrated similarity, 0 to 1.
    pub similarity: f64,
    /// The feedback.
    #[serde(flatten)]
    pub feedback: FeedbackLine,
}

/// A record and the file it stands in.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Located<T> {
    /// Its file in the store.
    pub path: String,
    /// The record, field by field as in the store.
    #[serde(flatten)]
    pub record: T,
}

/// An edge case and its file.
pub type EdgeCaseFile = Located<EdgeCaseRecord>;

/// A proposal or rule, its file, and its state (`proposals list`, `proposals show`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RuleFile {
    /// Its file in the store.
    pub path: String,
    /// Told by the file's directory.
    pub state: RuleState,
    /// The record.
    #[serde(flatten)]
    pub record: ProposalRecord,
}

/// One feedback with everything that hangs on it (`feedback show`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FeedbackPage {
    /// Its file in the store.
    pub path: String,
    /// The record.
    pub record: DecisionRecord,
    /// Its cluster.
    pub cluster: Option<Located<ClusterRecord>>,
    /// The proposal it led to.
    pub proposal: Option<RuleFile>,
    /// The edge case it opened.
    pub edge_case: Option<EdgeCaseFile>,
    /// The tiebreak about it.
    pub ambiguous: Option<Located<AmbiguousRecord>>,
    /// What was said on the forge about it afterwards, in the order of time.
    pub follow_ups: Vec<Located<FollowUpRecord>>,
}

/// One cluster (`clusters show`).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClusterPage {
    /// The cluster.
    pub cluster: Located<ClusterRecord>,
    /// Its members, the latest first, as many as were asked for.
    pub members: Vec<FeedbackLine>,
    /// Its proposal.
    pub proposal: Option<RuleFile>,
}

impl ClusterPage {
    /// Whether people may word a rule for it: it has none.
    pub fn may_be_worded(&self) -> bool {
        self.proposal.is_none() && self.cluster.record.merged_into.is_none()
    }
}

/// Which edge cases to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeCaseFilter {
    /// Only this agent's.
    pub agent: Option<String>,
    /// Only open ones.
    pub open_only: bool,
    /// At most so many; 0 means no limit.
    pub limit: usize,
}

/// A contradiction with its path.
pub type AmbiguousFile = Located<AmbiguousRecord>;

/// What would be withdrawn (`retract`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Retraction {
    /// The remarks.
    pub feedback: Vec<FeedbackLine>,
    /// The clusters that would lose members.
    pub clusters: Vec<String>,
    /// The open proposals and the rules in force that rest on them.
    pub rules: Vec<RetractedRule>,
}

/// A rule that would lose evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RetractedRule {
    /// Its id.
    pub rule_id: String,
    /// Where it stands.
    pub status: ProposalStatus,
    /// One line.
    pub title: String,
    /// How many remarks it rests on now.
    pub evidence_now: u64,
    /// How many it would rest on.
    pub evidence_left: u64,
}
