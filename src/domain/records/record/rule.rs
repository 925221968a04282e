//! Proposals and rules as persisted: one file for a whole life, moved as it progresses (specification, "The store" and
//! "Rules").

use crate::clusters::evaluation::ActionType;
use crate::records::rule_status::ProposalStatus;
use crate::text::ids::Gate;
use crate::text::prose::count;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule proposed for review (`RuleProposal`; specification, "Learning: Evaluation").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalRecord {
    /// `feedbackd.proposal/1`
    pub schema: String,
    /// `RULE-<year>-<nnnn>`
    pub proposal_id: String,
    /// 1 for the first text; a change of the text is a new version and voids approvals.
    pub version: u32,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// One-line title.
    pub title: String,
    /// The proposed action.
    pub action_type: ActionType,
    /// The kind of rule.
    pub rule_type: RuleType,
    /// The text that would enter the prompt.
    pub rule_content: String,
    /// The catalogue concern it was built from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concern: Option<String>,
    /// Why it improves the work, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// A person's correction of relevant work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<Example>,
    /// Hash of everything about it that has an effect; an approval names the one it saw.
    pub content_hash: String,
    /// The agents it is for.
    pub affected_agents: Vec<String>,
    /// Its position in the agent's prompt.
    pub insertion_point: String,
    /// Its status.
    pub status: ProposalStatus,
    /// The probability, 0 to 1, that the pattern behind it is real; recalibrated once people decided enough proposals.
    pub classification_confidence: f64,
    /// The same from its comments alone, before recalibration on people's decisions; absent if not recalibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_confidence: Option<f64>,
    /// The reason, in words.
    pub evidence_summary: String,
    /// The cluster it came from.
    pub cluster_id: String,
    /// Who asked for it.
    pub reviewers: Vec<String>,
    /// How many feedback records are listed below.
    pub evidence_count: u64,
    /// Every feedback that supports it; at most [`MAX_EVIDENCE`], the others name its cluster in their records.
    pub created_from_feedback_ids: Vec<String>,
    /// Other clusters that asked for the same and were added to this proposal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_clusters: Vec<String>,
    /// Opposing feedback that is pending a decision: check it before you decide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dissent: Vec<String>,
    /// Rules and proposals it contradicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<ConflictReport>,
    /// Where in the agent's work it applies; everywhere if empty.
    #[serde(default, skip_serializing_if = "Scope::is_everywhere")]
    pub scope: Scope,
    /// Why it was proposed for these places only, if proposed automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_because: Option<String>,
    /// The rule this is about, for a proposal to retire it or to check it by a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_rule: Option<String>,
    /// Active rules that this one also covers, and that leave force when it is activated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consolidates: Vec<String>,
    /// What its reviewers should know; kept up to date while it is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
    /// Approvals of the current version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    /// Time of the comment that made its evidence a pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern_since: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its current text was written, if not the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_at: Option<Timestamp>,
    /// When people were reminded of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminded_at: Option<Timestamp>,
    /// When it was approved, rejected, or expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// When it came into force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<Timestamp>,
    /// When it left force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Why it was rejected, or why it left force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why it is under review while in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<Flag>,
    /// Earlier texts, first to last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_versions: Vec<EarlierVersion>,
    /// What happened to it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<LifeEvent>,
}

impl ProposalRecord {
    /// Returns the clusters it covers, its original one first.
    pub fn clusters(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.cluster_id).chain(&self.merged_clusters).map(String::as_str)
    }
}

/// Lines of work before and after a correction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// The lines before; empty if lines were only added.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// The lines after; empty if lines were only removed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// The feedback whose correction shows them.
    pub feedback_id: String,
}

/// Where a rule applies. An empty list does not limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// Only at these gates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// Only for files that match one of these patterns (`src/api/**`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

impl Scope {
    /// Reports whether it limits nothing.
    pub fn is_everywhere(&self) -> bool {
        self.gates.is_empty() && self.paths.is_empty()
    }
}

/// What reviewers of a proposal should know (specification, "Rules").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Card {
    /// The exact text that would enter the prompt.
    pub prompt_text: String,
    /// How many past corrections of its agents it was compared with.
    pub corrections: u64,
    /// To how many of them it would have applied.
    pub would_apply: u64,
    /// A few of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub would_apply_to: Vec<String>,
    /// How many past approvals of its agents it was compared with.
    pub approvals: u64,
    /// On how many of them it would have fired wrongly: its demand was not wanted there.
    pub would_fire_wrongly: u64,
    /// A few of those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub would_fire_wrongly_on: Vec<String>,
    /// The invisible characters removed from its text or evidence, and where: `U+202E (dec-7)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The active rule that would make way for it, if its agent has no room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displaces: Option<String>,
    /// Why that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displaces_because: Option<String>,
}

impl Card {
    /// Describes how it would have done on past work, as half a sentence.
    pub fn told(&self) -> String {
        let (applied, wrongly) = (self.would_apply, self.would_fire_wrongly);
        let approvals = count(self.approvals, "approval");
        match (self.corrections, self.approvals) {
            (0, 0) => "there are no past corrections or approvals to compare it with".to_owned(),
            (0, _) => format!(
                "there are no past corrections to compare it with; it would have misfired on {wrongly} of {approvals}"
            ),
            (corrections, 0) => format!(
                "it would have applied to {applied} of {}; there are no past approvals to compare it with",
                count(corrections, "correction")
            ),
            (corrections, _) => format!(
                "it would have applied to {applied} of {}, and misfired on {wrongly} of {approvals}",
                count(corrections, "correction")
            ),
        }
    }
}

/// One approver's approval of one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Approval {
    /// Who.
    pub reviewer_id: String,
    /// The review's unique id.
    pub review_id: String,
    /// The hash of the text that was approved.
    pub content_hash: String,
    /// When it was made.
    pub at: Timestamp,
    /// Whether this approver wrote part of the evidence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wrote_evidence: bool,
    /// Whether the approval was signed with a key of the roster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
}

/// Why a rule in force is under review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flag {
    /// When it became pending.
    pub at: Timestamp,
    /// Why, in words and figures.
    pub reason: String,
    /// The proposal to retire it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
}

/// An earlier text of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierVersion {
    /// Its number.
    pub version: u32,
    /// The text.
    pub rule_content: String,
    /// Its hash.
    pub content_hash: String,
    /// When it was replaced.
    pub replaced_at: Timestamp,
    /// By whom.
    pub replaced_by: String,
}

/// An event in a rule's life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LifeEvent {
    /// When it was made.
    pub at: Timestamp,
    /// What: `proposed`, `approval`, `modified`, `activated`, …
    pub event: String,
    /// The version it had then.
    pub version: u32,
    /// Who did it; absent if automatic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How many feedback ids a proposal lists.
pub const MAX_EVIDENCE: usize = 200;

/// The kinds of rule (`RuleProposal.rule_type`; specification, "Learning: Evaluation").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RuleType {
    /// What not to do.
    NegativeExample,
    /// An example to follow.
    PositiveExample,
    /// What to do in general.
    Guideline,
    /// A strict requirement or prohibition.
    Constraint,
}

/// Two rules that cannot both be followed (`ConflictReport`; specification, "Learning: Evaluation").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictReport {
    /// The other rule or proposal.
    pub with: String,
    /// Why they disagree, in words.
    pub reason: String,
    /// The past decision on which the two disagree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<String>,
    /// Calibrated similarity of the two, 0 to 1.
    pub similarity: f64,
}
