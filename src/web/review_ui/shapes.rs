//! What the review UI sends and what it expects, field by field.

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
    /// What was decided.
    pub decision: GateDecision,
    /// What it is about.
    pub tags: Option<Vec<String>>,
    /// What is to be corrected.
    pub summary: Option<String>,
    /// How much the reviewer minds.
    pub severity: Option<Severity>,
    /// Whether something is to be learned from it.
    pub consider_for_improvement: Option<bool>,
    /// How long the review took.
    pub duration_seconds: Option<f64>,
    /// The correction.
    pub correction_diff: Option<String>,
    /// What the reviewer says beside the summary.
    pub reviewer_comment: Option<String>,
}

/// What was decided at a gate.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateDecision {
    /// Accepted as it is.
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

/// The answer to it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FeedbackResponse {
    /// Always so.
    pub success: bool,
    /// The id that it has in the store.
    pub feedback_id: String,
    /// Its class, where it was evaluated in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classification: Option<Classified>,
}

/// A class.
#[derive(Debug, Serialize)]
pub struct Classified {
    /// In small letters: `generalizable_high`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The probability, 0 to 1, that it is right.
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
    /// Who decides: an id of the UI's own.
    #[serde(default)]
    pub decided_by: String,
    /// Why.
    pub reason: Option<String>,
    /// The text in place of the one that is shown.
    pub modified_content: Option<String>,
    /// The version that was looked at. The UI does not send it.
    pub content_hash: Option<String>,
}

/// The answer to it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleDecisionResponse {
    /// Always so.
    pub success: bool,
    /// As it was asked for.
    pub rule_id: String,
    /// Where the proposal stands now.
    pub status: RuleStatus,
    /// What followed, in words.
    pub message: String,
}

/// Where a proposal stands, as the UI knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleStatus {
    /// People still decide.
    Pending,
    /// Enough people approved it.
    Approved,
    /// It is over.
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

/// The answer to `GET /rules/pending`.
#[derive(Debug, Serialize)]
pub struct PendingRules<'a> {
    /// As many as were asked for.
    pub rules: &'a [&'a RuleProposal],
    /// All that fit.
    pub total: usize,
}

/// A proposal.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleProposal {
    pub id: String,
    pub title: String,
    /// The text as it would stand in the prompt: the UI shows no other.
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
    /// What an approval names to be of this version. The UI does not read it.
    pub content_hash: String,
}

/// Something that a reviewer should know.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// A word.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// A sentence or a remark.
    pub description: String,
}

/// What a proposal would change.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Impact {
    /// Of the agents' corrections of the last 30 days, 0 to 100.
    pub estimated_reduction_percent: f64,
    /// The gates where these were made.
    pub affected_gates_count: usize,
    pub risk_level: RiskLevel,
}
