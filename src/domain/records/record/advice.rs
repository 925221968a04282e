//! What a model was asked and what it answered.

use super::stored_record::{IndexRow, StoredRecord};
use crate::records::layout;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

/// A question that a model answered, so that it is never asked again. Which remarks it showed is told by what it was
/// about; what was refused of an answer is not kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AdviceRecord {
    /// `feedbackd.advice/1`
    pub schema: String,
    /// The hash of the question, 64 hexadecimal digits.
    pub question_hash: String,
    /// `place`: which demands ask for the same; `check`: which of its evidence a rule would settle, and how it should be
    /// worded. Of earlier versions `pair`: whether two groups ask for the same; `draft`: how a rule could be worded;
    /// `choice`: to which of some groups a comment belongs.
    #[schemars(with = "String")]
    pub kind: AdviceKind,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The feedback that was placed; or each cluster that was checked, and behind it the evidence that was shown.
    pub about: Vec<String>,
    /// The clusters and feedbacks that were shown beside that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub among: Vec<String>,
    /// The model.
    pub model: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When its answer was taken up.
    pub answered_at: Timestamp,
    /// Whether the answer could be believed.
    pub outcome: AdviceOutcome,
    /// What it said; absent where it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AdviceReply>,
    /// What came of it, or why it was refused, in words.
    pub effect: String,
    /// Whether demands were placed once more, beside others that were not known before.
    #[serde(default, skip_serializing_if = "is_false")]
    pub again: bool,
    /// Tokens that the question and its answer took, as the server counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Tokens that were paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Of the question.
    pub input: u64,
    /// Of the answer, with those of reasoning.
    pub output: u64,
}

impl Tokens {
    /// All of them.
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

/// What a model may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AdviceKind {
    /// What each of some comments asks for.
    Read,
    /// Which demands ask for the same.
    Place,
    /// Which of its evidence a rule would settle, and how it should be worded.
    Check,
    /// Of earlier versions: whether two groups ask for the same.
    Pair,
    /// Of earlier versions: how a rule could be worded.
    Draft,
    /// Of earlier versions: to which of some groups a comment belongs.
    Choice,
}

/// Whether a model's answer could be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AdviceOutcome {
    /// It is what was asked for.
    Accepted,
    /// It is not the object that was asked for.
    RefusedSchema,
    /// It says what must not be said.
    RefusedLint,
    /// The model or its provider gives none for this, or what it thinks takes all the room.
    Unanswered,
}

/// What a model says, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AdviceReply {
    /// About two groups of remarks.
    Pair(PairReply),
    /// A rule's text.
    Draft(DraftReply),
    /// The group of a comment.
    Choice(ChoiceReply),
    /// Where demands belong.
    Place(PlaceReply),
    /// Rules and their evidence.
    Check(CheckReplies),
}

/// Where demands belong, as a model says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceReply {
    /// Where each demand belongs, in the order in which they were shown: those of a comment behind each other.
    pub places: Vec<Placed>,
    /// Pairs of groups that were shown and ask for the same as each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<[String; 2]>,
}

/// Where a demand belongs: to a group, or with others to a new one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// The feedback.
    pub feedback_id: String,
    /// The group that it belongs to, or the feedback that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The name of the new demand; those with the same name belong together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
}

/// What a model says of rules and their evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckReplies {
    /// What it says of each pattern that it was believed about.
    pub patterns: Vec<CheckReply>,
}

/// What a model says of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckReply {
    /// The pattern.
    pub cluster: String,
    /// The rule that settles most of the evidence, and others for the rest of it.
    pub rules: Vec<CheckedRule>,
    /// Whether the first rule should be approved.
    pub worth: bool,
    /// What its comments have in common, for people to read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Groups that were shown and ask for the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<String>,
}

/// A rule as a model words it, with the feedback that doing what it says would settle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckedRule {
    /// One or two imperative sentences.
    pub rule: String,
    /// A line for lists.
    pub title: String,
    /// The feedback that it would settle.
    pub settles: Vec<String>,
    /// The feedback that asks for the opposite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opposite: Vec<String>,
}

/// What a model says about two groups of remarks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairReply {
    /// Whether they ask for the same.
    pub answer: PairVerdict,
    /// Why, for people to read.
    pub reason: String,
}

/// Whether two groups of remarks ask for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PairVerdict {
    /// They do.
    Same,
    /// They do not.
    Different,
    /// It cannot be told.
    Unsure,
}

/// To which group a remark belongs, as a model says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceReply {
    /// The place of the group among those that were shown, from 1; 0 for none of them.
    pub group: u8,
    /// Why, for people to read.
    pub reason: String,
}

/// A rule as a model words it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftReply {
    /// A line for lists.
    pub title: String,
    /// One or two imperative sentences.
    pub rule: String,
    /// What the remarks have in common.
    pub why: String,
}
