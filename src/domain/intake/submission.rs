//! What people and programs submit about what was learned (specification, "Reviews"): reviews, notices of injected
//! rules, imports, and what forges say of earlier reviews.
//!
//! Reading the raw fields is `decode`'s work; whether a review counts is decided by `rule` and `quorum`.

use super::forge::ToldWhat;
use crate::source::Source;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One entry of `asdlc:events:meta_hitl_decisions`.
#[derive(Clone, Debug, PartialEq)]
pub enum Submission {
    /// A person decided something.
    Review(Review),
    /// Rules entered a prompt.
    Injection(Injection),
    /// Rules in force elsewhere.
    Import(Import),
    /// What became of a review on a forge.
    FollowUp(FollowUp),
}

/// A decision of a person about what was learned, as it was submitted. Its texts are cleaned and redacted already.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// Its id; the same id is the same review.
    pub review_id: String,
    /// What is decided.
    pub action: ReviewAction,
    /// Who decides.
    pub reviewer_id: String,
    /// When, as the reviewer says.
    pub timestamp: Timestamp,
    /// Why: `reason` or `rationale`.
    pub reason: Option<String>,
    /// The hash of the text the reviewer saw.
    pub content_hash: Option<String>,
    /// An SSH signature, armored, of the review's
    /// [`signed_text`](crate::rules::lifecycle::signature::signed_text).
    pub signature: Option<String>,
    /// The tenant, where one is named.
    pub tenant_id: Option<String>,
    /// Where it was read.
    pub source: Source,
}

/// What a review decides, and about what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "decision", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewAction {
    /// The proposal is good as it is.
    Approve {
        /// The proposal.
        proposal_id: String,
    },
    /// The proposal is turned down.
    Reject {
        /// The proposal.
        proposal_id: String,
    },
    /// The proposal gets another text.
    Modify {
        /// The proposal.
        proposal_id: String,
        /// The new text.
        modified_content: String,
    },
    /// A rule leaves force.
    Retire {
        /// The rule.
        rule_id: String,
    },
    /// A rule's approval is taken back: it leaves force.
    RollBack {
        /// The rule.
        rule_id: String,
    },
    /// A rule, or every rule, leaves all prompts at once. Its approvals stay.
    Stop {
        /// The rule; all of them where none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule_id: Option<String>,
    },
    /// What was stopped may enter prompts again.
    Resume {
        /// The rule; all of them where none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule_id: Option<String>,
    },
    /// An import is taken back: its rules are not known as in force elsewhere any more.
    WithdrawImport {
        /// Its name.
        import: String,
    },
    /// A contradiction is decided.
    Resolve {
        /// The feedback.
        feedback_id: String,
        /// How.
        resolution: Resolution,
    },
    /// Two clusters ask for the same.
    MergeClusters {
        /// The cluster that ends.
        from: String,
        /// The cluster that takes its members.
        into: String,
    },
    /// Some members of a cluster ask for something else.
    SplitCluster {
        /// The cluster.
        cluster_id: String,
        /// The members that go to a cluster of their own.
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
        /// The cluster it goes to.
        into: String,
    },
    /// Two clusters, or feedback that is in none, ask for the same.
    Same {
        /// One of them: a cluster or a feedback.
        a: String,
        /// The other one.
        b: String,
    },
    /// Two clusters, or feedback that is in none, ask for different things: nothing puts them together but people.
    KeepApart {
        /// One of them: a cluster or a feedback.
        a: String,
        /// The other one.
        b: String,
    },
    /// Somebody looked at a list of feedback and says which of it asks for the same.
    Sort {
        /// The feedback that asks for the same: one group from now on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        same: Vec<String>,
        /// The feedback that asks for something else than these; where there are none, for something else each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        others: Vec<String>,
        /// The feedback that asks for nothing.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nothing: Vec<String>,
        /// The feedback that asks for something too particular for a rule.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        particular: Vec<String>,
        /// The cluster, or the feedback, that `same` belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        into: Option<String>,
    },
    /// What a feedback asks for, in the words of a person.
    Mark {
        /// The feedback.
        feedback_id: String,
        /// What it is.
        mark: Mark,
        /// The concern that it voices, by its id; only with `DEMAND`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        demand: Option<String>,
    },
    /// Nothing shall be learned from these any more.
    Retract {
        /// Everything this reviewer said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reviewer: Option<String>,
        /// This feedback.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback_id: Option<String>,
    },
}

/// What a stop of no rule in particular is about.
pub const ALL_RULES: &str = "all rules";

/// What a review of the roster names as its proposal. Proposals are numbered, so none is ever called so.
pub const ROSTER: &str = "ROSTER";

impl ReviewAction {
    /// Whether it decides about the version of the roster that waits.
    pub fn is_about_roster(&self) -> bool {
        matches!(self, ReviewAction::Approve { proposal_id } | ReviewAction::Reject { proposal_id } if proposal_id == ROSTER)
    }

    /// What is decided, in a word or two.
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
        }
    }

    /// The feedback and groups that it says something of; none where it is about rules.
    pub fn teaches_about(&self) -> Vec<&str> {
        match self {
            ReviewAction::Approve { .. }
            | ReviewAction::Reject { .. }
            | ReviewAction::Modify { .. }
            | ReviewAction::Retire { .. }
            | ReviewAction::RollBack { .. }
            | ReviewAction::Stop { .. }
            | ReviewAction::Resume { .. }
            | ReviewAction::WithdrawImport { .. } => Vec::new(),
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

    /// The id of what it is decided about.
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
            | ReviewAction::Mark { feedback_id: id, .. } => id,
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

/// What a person says that a feedback is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Mark {
    /// It asks for nothing: praise, a report, a question.
    Nothing,
    /// It asks for something that is too particular for a rule.
    Particular,
    /// It asks for something that the catalogue knows.
    Demand,
}

impl Mark {
    /// As it is written in records and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Mark::Nothing => "NOTHING",
            Mark::Particular => "PARTICULAR",
            Mark::Demand => "DEMAND",
        }
    }
}

/// What people say that a remark is, or one that says almost the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Marked {
    /// What it is.
    pub mark: Mark,
    /// The concern that it voices, where it is a demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<String>,
    /// The review that says so.
    pub by: String,
    /// The feedback that the review was about, where this one only says almost the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
}

impl Marked {
    /// Whether there is nothing in it that a rule could say.
    pub fn teaches_nothing(&self) -> bool {
        self.mark != Mark::Demand
    }
}

/// How a tiebreak was decided (specification, "Reviews").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Resolution {
    /// This side holds in general: a proposal follows.
    Generalizable,
    /// This side holds in this case only.
    EdgeCase,
    /// Nothing is learned from it.
    Ignore,
    /// The two sides do not contradict each other: both hold, and the remark counts like any other.
    NoContradiction,
}

impl Resolution {
    /// As it is written in records and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Resolution::Generalizable => "GENERALIZABLE",
            Resolution::EdgeCase => "EDGE_CASE",
            Resolution::Ignore => "IGNORE",
            Resolution::NoContradiction => "NO_CONTRADICTION",
        }
    }
}

/// A notice of the rules that entered one prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injection {
    /// Its id; the same id is the same notice.
    pub injection_id: String,
    /// The tenant, where one is named.
    pub tenant_id: Option<String>,
    /// The agent whose prompt it was.
    pub agent: String,
    /// The agent's session, where it is known.
    pub session_id: Option<String>,
    /// When the prompt was made.
    pub timestamp: Timestamp,
    pub rules: Vec<InjectedRule>,
    /// Rules that were left out, to compare.
    pub held_out: Vec<String>,
    /// Hash of the prompt without its rules.
    pub base_hash: String,
    /// Hash of the prompt as it was used.
    pub prompt_hash: String,
}

/// A rule in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InjectedRule {
    /// Its id.
    pub rule_id: String,
    /// The version whose text it was.
    pub version: u32,
}

/// What was said on a forge about an earlier review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowUp {
    /// Its id; the same id is the same notice.
    pub follow_up_id: String,
    /// The tenant, where one is named.
    pub tenant_id: Option<String>,
    /// What the forge is called in the configuration.
    pub forge: String,
    /// `owner/name`
    pub repository: String,
    /// The number of the pull request or change.
    pub number: String,
    /// What became of it.
    pub what: ToldWhat,
    /// The decision that the review was recorded as.
    pub decision_id: String,
    /// The forge's number of the remark; none where it is the whole review.
    pub remark: Option<String>,
    /// The account that did it.
    pub by: String,
    /// What is said in its place.
    pub text: Option<String>,
    /// When it was told.
    pub timestamp: Timestamp,
}

/// Rules that are in force elsewhere, as a file of another tool lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// What the file is called here; the next import of that name replaces this one.
    pub name: String,
    /// The tenant, where one is named.
    pub tenant_id: Option<String>,
    /// The agents they are for; all where none is named.
    pub agents: Vec<String>,
    /// Who imported them.
    pub imported_by: String,
    /// When.
    pub imported_at: Timestamp,
    pub file_hash: String,
    pub rules: Vec<ImportedRule>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedRule {
    /// The line of the file it stands on.
    pub line: u32,
    /// The heading it stands under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// What it says.
    pub text: String,
}
