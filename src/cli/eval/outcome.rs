//! The findings of `eval hitl`: the answer as shown, and its inputs.

use super::data::Labels;
use crate::domain::reporting::score::{BCubed, ClusterRow, Item, Patterns, Proposed, Score, ThemeRow};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// The answer.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub lines: u64,
    /// Lines that repeat an earlier line's decision.
    pub redeliveries: u64,
    /// Lines that were rejected or are not decisions.
    pub not_evaluated: u64,
    #[serde(flatten)]
    pub score: Score,
    /// The speed of this run: not a benchmark.
    pub timing: Timing,
    /// The effect of answered questions, if requested; all other figures include the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Taught>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme_list: Option<Vec<ThemeRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_list: Option<Vec<ClusterRow>>,
}

/// The time of this run on this machine, under its current load.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Timing {
    /// Embedding, comparing, classifying, clustering and proposing.
    pub evaluation_seconds: f64,
    /// Decisions per second.
    pub remarks_per_second: f64,
}

/// The effect of the answers.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Taught {
    /// Number of answered questions.
    pub asked: u64,
    /// Answers that two ask for the same.
    pub same: u64,
    /// Answers that two do not.
    pub different: u64,
    /// Answers without effect because they were rejected.
    pub refused: u64,
    /// Comments before the questions.
    pub remarks_before: u64,
    /// B3 of all comments without any answer.
    pub without: BCubed,
    /// The same with the answers.
    pub with: BCubed,
    /// The patterns without any answer.
    pub patterns_without: Patterns,
    /// B3 among the comments after the questions; none if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later: Option<Later>,
    /// The questions with their answers.
    pub questions: Vec<Answered>,
}

/// The results for comments after the questions.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Later {
    /// Number of comments.
    pub remarks: u64,
    /// B3 over these comments, clustered with all early and late ones, without any answer.
    pub without: BCubed,
    /// The same with the answers.
    pub with: BCubed,
}

/// A question and its answer.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Answered {
    /// The predicted probability that both ask for the same.
    pub probability: f64,
    /// Number of comments on each side.
    pub sizes: (u64, u64),
    /// The majority label of each side.
    pub themes: (Option<String>, Option<String>),
    /// The answer: whether both, or some of a list, ask for the same.
    pub same: bool,
    /// The answer about a list, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listed>,
    /// Why the answer was rejected, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

/// The answer about the comments of a list.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Listed {
    /// Number shown.
    pub remarks: u64,
    /// Number that ask for the same.
    pub same: u64,
    /// Number that ask for nothing.
    pub nothing: u64,
    /// Number that ask for something too specific for a rule.
    pub particular: u64,
}

/// The outcome of the lines.
#[derive(Default)]
pub(super) struct Seen<'a> {
    /// The feedback ids in arrival order.
    pub order: Vec<String>,
    /// Number of them that arrived before the questions.
    pub before_questions: usize,
    pub labels: HashMap<String, &'a Labels>,
    pub redeliveries: u64,
    pub not_evaluated: u64,
    pub spent: Duration,
}

/// The items, and the proposals by cluster.
pub(super) type Read = (Vec<Item>, BTreeMap<String, Proposed>);
