//! Requests and responses of the review UI, field by field.

use crate::domain::records::record::{ProposalStatus, RuleType};
use crate::domain::reporting::impact::RiskLevel;
use crate::text::verdict::{Severity, Verdict};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The body of `POST /gates/{gateId}`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FeedbackSubmission {
    /// As in the path.
    pub gate_id: Option<String>,
    /// The decision.
    pub decision: GateDecision,
    /// The topics.
    pub tags: Option<Vec<String>>,
    /// The requested correction.
    pub summary: Option<String>,
    /// The severity according to the reviewer.
    pub severity: Option<Severity>,
    /// Whether to learn from it.
    pub consider_for_improvement: Option<bool>,
    /// How long the review took.
    pub duration_seconds: Option<f64>,
    /// The correction.
    pub correction_diff: Option<String>,
    /// The reviewer's comment in addition to the summary.
    pub reviewer_comment: Option<String>,
}

/// A decision at a gate.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateDecision {
    /// Accepted unchanged.
    Approved,
    /// Sent back.
    Rejected,
    /// Accepted after changes.
    ApprovedWithChanges,
}

impl From<GateDecision> for Verdict {
    fn from(decision: GateDecision) -> Verdict {
        match decision {
            GateDecision::Approved => Verdict::Approved,
            GateDecision::Rejected => Verdict::Rejected,
            GateDecision::ApprovedWithChanges => Verdict::ApprovedWithChanges,
        }
    }
}

/// The response to it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FeedbackResponse {
    /// Always true.
    pub success: bool,
    /// Its id in the store.
    pub feedback_id: String,
    /// Its class, if evaluated in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classification: Option<Classified>,
}

/// A class.
#[derive(Debug, Serialize)]
pub struct Classified {
    /// In lower case: `generalizable_high`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The probability, 0 to 1, that the class is correct.
    pub confidence: f64,
}

/// The body of `POST /rules/{ruleId}/approve` and `/reject`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleDecision {
    /// As in the path.
    pub rule_id: Option<String>,
    /// `approved` or `rejected`, as in the path.
    pub decision: Option<String>,
    /// Who decides: one of the UI's ids.
    #[serde(default)]
    pub decided_by: String,
    /// The reason.
    pub reason: Option<String>,
    /// A replacement for the text shown.
    pub modified_content: Option<String>,
    /// The version reviewed. The UI does not send it.
    pub content_hash: Option<String>,
}

/// The response to it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleDecisionResponse {
    /// Always true.
    pub success: bool,
    /// As in the request.
    pub rule_id: String,
    /// The proposal's current status.
    pub status: RuleStatus,
    /// The effect, in words.
    pub message: String,
}

/// A proposal's status in the UI's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleStatus {
    /// Under review.
    Pending,
    /// Approved by enough people.
    Approved,
    /// Closed.
    Rejected,
}

impl From<ProposalStatus> for RuleStatus {
    fn from(status: ProposalStatus) -> RuleStatus {
        match status {
            ProposalStatus::Pending => RuleStatus::Pending,
            ProposalStatus::Approved | ProposalStatus::Active | ProposalStatus::Flagged => RuleStatus::Approved,
            ProposalStatus::Rejected
            | ProposalStatus::Expired
            | ProposalStatus::Retired
            | ProposalStatus::RolledBack => RuleStatus::Rejected,
        }
    }
}

/// The response to `GET /rules/pending`.
#[derive(Debug, Serialize)]
pub struct PendingRules<'a> {
    /// As many as requested.
    pub rules: &'a [&'a RuleProposal],
    /// The number of all matches.
    pub total: usize,
}

/// A proposal.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleProposal {
    pub id: String,
    pub title: String,
    /// The text as it would appear in the prompt: the UI shows no other.
    pub description: String,
    pub proposed_by: String,
    pub proposed_at: Timestamp,
    pub affected_agents: Vec<String>,
    pub evidence_count: u64,
    pub evidence: Vec<Evidence>,
    pub impact: Impact,
    pub status: RuleStatus,
    pub confidence: f64,
    pub rule_type: RuleType,
    pub rule_content: String,
    pub feedback_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// The hash by which an approval names this version. The UI does not read it.
    pub content_hash: String,
}

/// A fact that a reviewer should know.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// The kind, in a word.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// A sentence or a comment.
    pub description: String,
}

/// The expected effect of a proposal.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Impact {
    /// The share of the agents' corrections in the last 30 days, 0 to 100.
    pub estimated_reduction_percent: f64,
    /// The number of gates with these corrections.
    pub affected_gates_count: usize,
    pub risk_level: RiskLevel,
}
