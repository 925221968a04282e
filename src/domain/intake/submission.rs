//! What people and programs submit about what was learned (specification, "Reviews"): reviews, notifications of
//! injected rules, imports, and forges' follow-ups to earlier reviews.
//!
//! Raw fields are read in `decode`; `rule` and `quorum` decide whether a review counts.

use super::forge::ToldWhat;
use crate::source::Source;
use jiff::Timestamp;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Decodes one entry of `asdlc:events:meta_hitl_decisions`.
#[derive(Clone, Debug, PartialEq)]
pub enum Submission {
    /// A person decided something.
    Review(Review),
    /// Rules entered a prompt.
    Injection(Injection),
    /// Rules in force elsewhere.
    Import(Import),
    /// A follow-up to a review on a forge.
    FollowUp(FollowUp),
}

/// A person's decision about what was learned, as submitted. Its texts are already cleaned and redacted.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// Its id; equal ids mean the same review.
    pub review_id: String,
    /// The decision.
    pub action: ReviewAction,
    /// The reviewer.
    pub reviewer_id: String,
    /// The time stated by the reviewer.
    pub timestamp: Timestamp,
    /// The reason: `reason` or `rationale`.
    pub reason: Option<String>,
    /// The hash of the text the reviewer saw.
    pub content_hash: Option<String>,
    /// An SSH signature, armored, of the review's
    /// [`signed_text`](crate::rules::lifecycle::signature::signed_text).
    pub signature: Option<String>,
    /// The tenant, if one is named.
    pub tenant_id: Option<String>,
    /// Its source.
    pub source: Source,
}

/// The decision of a review, and its subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "decision", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewAction {
    /// The proposal is good unchanged.
    Approve {
        /// The proposal.
        proposal_id: String,
    },
    /// The proposal is rejected.
    Reject {
        /// The proposal.
        proposal_id: String,
    },
    /// The proposal gets a new text.
    Modify {
        /// The proposal.
        proposal_id: String,
        /// The new text; the present one if only the reason or the concern changes.
        modified_content: String,
        /// The new reason why the rule improves the work; `-` for none. Unchanged if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        modified_why: Option<String>,
        /// The id of the concern by which the rule is measured from now on; `-` for none. Unchanged if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        modified_concern: Option<String>,
    },
    /// A rule is retired.
    Retire {
        /// The rule.
        rule_id: String,
    },
    /// A rule's approval is rolled back: it is no longer in force.
    RollBack {
        /// The rule.
        rule_id: String,
    },
    /// A rule, or every rule, immediately leaves all prompts. Its approvals stay.
    Stop {
        /// The rule; all if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule_id: Option<String>,
    },
    /// Stopped rules may enter prompts again.
    Resume {
        /// The rule; all if none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule_id: Option<String>,
    },
    /// An import is withdrawn: its rules no longer count as in force elsewhere.
    WithdrawImport {
        /// Its name.
        import: String,
    },
    /// A contradiction is resolved.
    Resolve {
        /// The feedback.
        feedback_id: String,
        /// The resolution.
        resolution: Resolution,
    },
    /// Two clusters ask for the same.
    MergeClusters {
        /// The cluster that ends.
        from: String,
        /// The cluster that receives its members.
        into: String,
    },
    /// Some members of a cluster ask for something else.
    SplitCluster {
        /// The cluster.
        cluster_id: String,
        /// The members that move to a new cluster.
        feedback_ids: Vec<String>,
    },
    /// A person words the rule of a cluster that has none.
    WordRule {
        /// The cluster.
        cluster_id: String,
        /// The text of the rule.
        rule_content: String,
    },
    /// A feedback belongs to another cluster.
    MoveFeedback {
        /// The feedback.
        feedback_id: String,
        /// The target cluster.
        into: String,
    },
    /// Two clusters, or unclustered feedback, ask for the same.
    Same {
        /// One of them: a cluster or a feedback.
        a: String,
        /// The other.
        b: String,
    },
    /// Two clusters, or unclustered feedback, ask for different things: only people can merge them.
    KeepApart {
        /// One of them: a cluster or a feedback.
        a: String,
        /// The other.
        b: String,
    },
    /// A person sorted a list of feedback by what asks for the same.
    Sort {
        /// The feedback that asks for the same: one cluster from now on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        same: Vec<String>,
        /// The feedback that asks for something other than these; if there are none, for something different each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<String>,
        /// The feedback that asks for nothing.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nothing: Vec<String>,
        /// The feedback that asks for something too specific for a rule.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        particular: Vec<String>,
        /// The cluster, or the feedback, that `same` belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        into: Option<String>,
    },
    /// A person's mark on what a feedback asks for.
    Mark {
        /// The feedback.
        feedback_id: String,
        /// The mark.
        mark: Mark,
        /// The id of the concern that it voices; only with `DEMAND`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        demand: Option<String>,
    },
    /// These are excluded from learning.
    Retract {
        /// Everything this reviewer said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reviewer: Option<String>,
        /// This feedback.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback_id: Option<String>,
    },
    /// A pending item leaves everyone's inbox until a day. Nothing else about it changes.
    Snooze {
        /// The item: a proposal, a rule, a cluster, or the feedback of a contradiction.
        item: String,
        /// The day, in UTC, on which it is back.
        #[schemars(with = "String", extend("format" = "date"))]
        until: Date,
    },
    /// A snoozed item is back in the inbox before its day.
    Wake {
        /// The item.
        item: String,
    },
}

/// The subject of a stop without a particular rule.
pub const ALL_RULES: &str = "all rules";

/// The proposal name in a review of the roster. Proposals are numbered, so none has this name.
pub const ROSTER: &str = "ROSTER";

impl ReviewAction {
    /// Reports whether it decides about the pending version of the roster.
    pub fn is_about_roster(&self) -> bool {
        matches!(self, ReviewAction::Approve { proposal_id } | ReviewAction::Reject { proposal_id } if proposal_id == ROSTER)
    }

    /// Returns the decision in a word or two.
    pub fn word(&self) -> &'static str {
        match self {
            ReviewAction::Approve { .. } => "approval",
            ReviewAction::Reject { .. } => "rejection",
            ReviewAction::Modify { .. } => "modification",
            ReviewAction::Retire { .. } => "retirement",
            ReviewAction::RollBack { .. } => "roll-back",
            ReviewAction::Stop { .. } => "stop",
            ReviewAction::Resume { .. } => "resumption",
            ReviewAction::WithdrawImport { .. } => "taking back",
            ReviewAction::Resolve { .. } => "resolution",
            ReviewAction::MergeClusters { .. } => "merge",
            ReviewAction::SplitCluster { .. } => "split",
            ReviewAction::WordRule { .. } => "wording",
            ReviewAction::MoveFeedback { .. } => "move",
            ReviewAction::Same { .. } => "union",
            ReviewAction::KeepApart { .. } => "distinction",
            ReviewAction::Sort { .. } => "sorting",
            ReviewAction::Mark { .. } => "mark",
            ReviewAction::Retract { .. } => "withdrawal",
            ReviewAction::Snooze { .. } => "snooze",
            ReviewAction::Wake { .. } => "wake-up",
        }
    }

    /// Returns the feedback and clusters it is about; none if it is about rules.
    pub fn teaches_about(&self) -> Vec<&str> {
        match self {
            ReviewAction::Approve { .. }
            | ReviewAction::Reject { .. }
            | ReviewAction::Modify { .. }
            | ReviewAction::Retire { .. }
            | ReviewAction::RollBack { .. }
            | ReviewAction::Stop { .. }
            | ReviewAction::Resume { .. }
            | ReviewAction::WithdrawImport { .. }
            | ReviewAction::Snooze { .. }
            | ReviewAction::Wake { .. } => Vec::new(),
            ReviewAction::Resolve { feedback_id: id, .. } | ReviewAction::Mark { feedback_id: id, .. } => vec![id],
            ReviewAction::MergeClusters { from: a, into: b }
            | ReviewAction::MoveFeedback { feedback_id: a, into: b }
            | ReviewAction::Same { a, b }
            | ReviewAction::KeepApart { a, b } => vec![a, b],
            ReviewAction::WordRule { cluster_id, .. } => vec![cluster_id],
            ReviewAction::SplitCluster { cluster_id, feedback_ids } => {
                std::iter::once(cluster_id).chain(feedback_ids).map(String::as_str).collect()
            }
            ReviewAction::Sort { same, others, nothing, particular, into } => {
                let remarks = [same, others, nothing, particular].into_iter().flatten();
                remarks.chain(into).map(String::as_str).collect()
            }
            ReviewAction::Retract { feedback_id, .. } => feedback_id.iter().map(String::as_str).collect(),
        }
    }

    /// Returns the id of its subject.
    pub fn subject(&self) -> &str {
        match self {
            ReviewAction::Approve { proposal_id: id }
            | ReviewAction::Reject { proposal_id: id }
            | ReviewAction::Modify { proposal_id: id, .. }
            | ReviewAction::Retire { rule_id: id }
            | ReviewAction::RollBack { rule_id: id }
            | ReviewAction::WithdrawImport { import: id }
            | ReviewAction::Resolve { feedback_id: id, .. }
            | ReviewAction::MergeClusters { from: id, .. }
            | ReviewAction::SplitCluster { cluster_id: id, .. }
            | ReviewAction::WordRule { cluster_id: id, .. }
            | ReviewAction::MoveFeedback { feedback_id: id, .. }
            | ReviewAction::Same { a: id, .. }
            | ReviewAction::KeepApart { a: id, .. }
            | ReviewAction::Mark { feedback_id: id, .. }
            | ReviewAction::Snooze { item: id, .. }
            | ReviewAction::Wake { item: id } => id,
            ReviewAction::Stop { rule_id } | ReviewAction::Resume { rule_id } => {
                rule_id.as_deref().unwrap_or(ALL_RULES)
            }
            ReviewAction::Sort { same, others, nothing, particular, into } => {
                let first = [same, others, nothing, particular].into_iter().flatten().next();
                into.as_ref().or(first).map(String::as_str).unwrap_or_default()
            }
            ReviewAction::Retract { reviewer, feedback_id } => {
                reviewer.as_deref().or(feedback_id.as_deref()).unwrap_or_default()
            }
        }
    }
}

/// A person's mark on a feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Mark {
    /// It asks for nothing: praise, a report, a question.
    Nothing,
    /// It asks for something too specific for a rule.
    Particular,
    /// It asks for something in the catalogue.
    Demand,
}

impl Mark {
    /// Returns the spelling in records and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Mark::Nothing => "NOTHING",
            Mark::Particular => "PARTICULAR",
            Mark::Demand => "DEMAND",
        }
    }
}

/// People's mark on a comment, or on one that says almost the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Marked {
    /// The mark.
    pub mark: Mark,
    /// The concern that it voices, if it is a demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<String>,
    /// The review with the mark.
    pub by: String,
    /// The feedback that the review was about, if this one only says almost the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
}

impl Marked {
    /// Reports whether it contains nothing for a rule.
    pub fn teaches_nothing(&self) -> bool {
        self.mark != Mark::Demand
    }
}

/// The outcome of a tiebreak (specification, "Reviews").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Resolution {
    /// This side holds in general: a proposal follows.
    Generalizable,
    /// This side holds only in this case.
    EdgeCase,
    /// Nothing is learned from it.
    Ignore,
    /// The two sides do not contradict each other: both hold, and the comment counts normally.
    NoContradiction,
}

impl Resolution {
    /// Returns the spelling in records and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Resolution::Generalizable => "GENERALIZABLE",
            Resolution::EdgeCase => "EDGE_CASE",
            Resolution::Ignore => "IGNORE",
            Resolution::NoContradiction => "NO_CONTRADICTION",
        }
    }
}

/// A notification of the rules that entered one prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
    /// Its id; equal ids mean the same follow-up.
    pub injection_id: String,
    /// The tenant, if one is named.
    pub tenant_id: Option<String>,
    /// The agent whose prompt it was.
    pub agent: String,
    /// The agent's session, if known.
    pub session_id: Option<String>,
    /// When the prompt was built.
    pub timestamp: Timestamp,
    pub rules: Vec<InjectedRule>,
    /// Rules left out for comparison.
    pub held_out: Vec<String>,
    /// Hash of the prompt without its rules.
    pub base_hash: String,
    /// Hash of the prompt used.
    pub prompt_hash: String,
}

/// A rule in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InjectedRule {
    /// The line's id.
    pub rule_id: String,
    /// The version of its text.
    pub version: u32,
}

/// A follow-up on a forge to an earlier review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUp {
    /// Its id; equal ids mean the same follow-up.
    pub follow_up_id: String,
    /// The tenant, if one is named.
    pub tenant_id: Option<String>,
    /// The forge's name in the configuration.
    pub forge: String,
    /// `owner/name`
    pub repository: String,
    /// The number of the pull request or change.
    pub number: String,
    /// What happened to it.
    pub what: ToldWhat,
    /// The decision recorded for the review.
    pub decision_id: String,
    /// The forge's number for the comment; `None` for the whole review.
    pub remark: Option<String>,
    /// The account responsible.
    pub by: String,
    /// The replacement text.
    pub text: Option<String>,
    /// When it was reported.
    pub timestamp: Timestamp,
}

/// Rules in force elsewhere, as listed in another tool's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The file's name here; the next import of that name replaces this one.
    pub name: String,
    /// The tenant, if one is named.
    pub tenant_id: Option<String>,
    /// The agents they are for; all if none is named.
    pub agents: Vec<String>,
    /// The importer.
    pub imported_by: String,
    /// The import time.
    pub imported_at: Timestamp,
    pub file_hash: String,
    pub rules: Vec<ImportedRule>,
}

/// One imported rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedRule {
    /// Its line in the file.
    pub line: u32,
    /// The heading it is under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its text.
    pub text: String,
}
