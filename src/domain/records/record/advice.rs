//! A model's question and answer.

use super::stored_record::{IndexRow, StoredRecord};
use crate::records::layout;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

/// A question that a model answered, so that it is never asked again. The comments shown follow from its subject.
/// Rejected parts of an answer are not kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AdviceRecord {
    /// `feedbackd.advice/1`
    pub schema: String,
    /// The hash of the question, 64 hexadecimal digits.
    pub question_hash: String,
    /// `place`: which demands ask for the same; `check`: which of its evidence a rule would settle, and how to word it.
    /// In earlier versions `pair`: whether two clusters ask for the same; `draft`: how to word a rule; `choice`: which
    /// of several clusters a comment belongs to.
    #[schemars(with = "String")]
    pub kind: AdviceKind,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The feedback that was placed; or each cluster that was checked, followed by the evidence shown.
    pub about: Vec<String>,
    /// The other clusters and feedback that were shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub among: Vec<String>,
    /// The model.
    pub model: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When its answer was applied.
    pub answered_at: Timestamp,
    /// Whether the answer was acceptable.
    pub outcome: AdviceOutcome,
    /// The answer; absent if rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AdviceReply>,
    /// What followed, or why it was rejected, in words.
    pub effect: String,
    /// Whether demands were placed again, with others that were not known before.
    #[serde(default, skip_serializing_if = "is_false")]
    pub again: bool,
    /// Tokens for the question and its answer, as counted by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Billed tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Tokens of the question.
    pub input: u64,
    /// Tokens of the answer, including reasoning.
    pub output: u64,
}

impl Tokens {
    /// Returns the total.
    pub fn all(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
    }
}

impl StoredRecord for AdviceRecord {
    const SCHEMA: &'static str = "feedbackd.advice/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::ADVICE, path, ".yaml")
    }

    fn path(&self) -> String {
        layout::advice(self.asked_at, &self.question_hash)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.question_hash, self.asked_at)
    }
}

/// Questions for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AdviceKind {
    /// What each of several comments asks for.
    Read,
    /// Which demands ask for the same.
    Place,
    /// Which of its evidence a rule would settle, and how to word it.
    Check,
    /// In earlier versions: whether two clusters ask for the same.
    Pair,
    /// In earlier versions: how to word a rule.
    Draft,
    /// In earlier versions: which of several clusters a comment belongs to.
    Choice,
}

/// Whether a model's answer was acceptable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AdviceOutcome {
    /// It is what was requested.
    Accepted,
    /// It is not the requested object.
    RefusedSchema,
    /// It contains forbidden content.
    RefusedLint,
    /// The model or its provider gives no answer, or its reasoning exhausts the limit.
    Unanswered,
}

/// A model's answer, as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AdviceReply {
    /// About two clusters.
    Pair(PairReply),
    /// A rule's text.
    Draft(DraftReply),
    /// A comment's cluster.
    Choice(ChoiceReply),
    /// Where demands belong.
    Place(PlaceReply),
    /// Rules and their evidence.
    Check(CheckReplies),
}

/// A model's placement of demands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceReply {
    /// Where each demand belongs, in the order shown; those of a comment are consecutive.
    pub places: Vec<Placed>,
    /// Pairs of shown clusters that ask for the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<[String; 2]>,
}

/// A demand's place: an existing cluster, or a new one with others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// The feedback.
    pub feedback_id: String,
    /// The cluster or the feedback it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The name of the new demand; equal names belong together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
}

/// A model's verdicts on rules and their evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckReplies {
    /// Its accepted verdict on each pattern.
    pub patterns: Vec<CheckReply>,
}

/// A model's verdict on a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckReply {
    /// The pattern.
    pub cluster: String,
    /// The rule that settles most of the evidence, and others for the rest.
    pub rules: Vec<CheckedRule>,
    /// Whether the first rule should be approved.
    pub worth: bool,
    /// What its comments have in common, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Shown clusters that ask for the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<String>,
}

/// A rule as worded by a model, with the feedback that following it would settle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckedRule {
    /// One or two imperative sentences.
    pub rule: String,
    /// One-line title.
    pub title: String,
    /// The feedback it would settle.
    pub settles: Vec<String>,
    /// The feedback that asks for the opposite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opposite: Vec<String>,
}

/// A model's verdict on two clusters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairReply {
    /// Whether they ask for the same.
    pub answer: PairVerdict,
    /// Why, for people.
    pub reason: String,
}

/// Whether two clusters ask for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PairVerdict {
    /// They do.
    Same,
    /// They do not.
    Different,
    /// Unknown.
    Unsure,
}

/// A model's choice of cluster for a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceReply {
    /// The cluster's position among those shown, from 1; 0 for none.
    pub group: u8,
    /// Why, for people.
    pub reason: String,
}

/// A rule as worded by a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftReply {
    /// One-line title.
    pub title: String,
    /// One or two imperative sentences.
    pub rule: String,
    /// What the comments have in common.
    pub why: String,
}
