//! What a model was asked and what it answered.

use super::stored_record::{IndexRow, StoredRecord};
use crate::domain::records::layout;
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
    /// `pair`: whether two groups of remarks ask for the same; `draft`: how a rule could be worded; `choice`: to which of
    /// some groups a remark belongs.
    #[schemars(with = "String")]
    pub kind: AdviceKind,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The two clusters or feedbacks; or the proposal, or the cluster that had none; or the remark whose group was asked for.
    pub about: Vec<String>,
    /// The clusters and feedbacks that a remark could belong to, as they were shown.
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
    /// Whether two groups of remarks ask for the same.
    Pair,
    /// How a rule could be worded.
    Draft,
    /// What each of some remarks asks for.
    Read,
    /// To which of some groups a remark belongs.
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
}

/// What a model says, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AdviceReply {
    /// About two groups of remarks.
    Pair(PairReply),
    /// A rule's text.
    Draft(DraftReply),
    /// The group of a remark.
    Choice(ChoiceReply),
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
