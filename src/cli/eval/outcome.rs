//! What `eval hitl` found: the answer as it is shown, and what it is made from.

use super::data::Labels;
use crate::domain::reporting::score::{BCubed, ClusterRow, Item, Patterns, Proposed, Score, ThemeRow};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// The answer.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub lines: u64,
    /// Lines with a decision that an earlier line has.
    pub redeliveries: u64,
    /// Lines that were rejected or are no decisions.
    pub not_evaluated: u64,
    #[serde(flatten)]
    pub score: Score,
    /// How fast it was evaluated in this run: no benchmark.
    pub timing: Timing,
    /// What answers to questions gave, where they were asked for; all other figures are with the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Taught>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme_list: Option<Vec<ThemeRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_list: Option<Vec<ClusterRow>>,
}

/// The time of this run, on this machine, with whatever else it did.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Timing {
    /// Embedding, comparing, classifying, grouping and proposing.
    pub evaluation_seconds: f64,
    /// Decisions in that time.
    pub remarks_per_second: f64,
}

/// What the answers gave.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Taught {
    /// Questions that were answered.
    pub asked: u64,
    /// Answers that two ask for the same.
    pub same: u64,
    /// Answers that they do not.
    pub different: u64,
    /// Answers that changed nothing, because they were refused.
    pub refused: u64,
    /// Remarks that came before the questions.
    pub remarks_before: u64,
    /// B3 of all remarks, as it comes out without any answer.
    pub without: BCubed,
    /// The same with the answers.
    pub with: BCubed,
    /// The patterns as they come out without any answer.
    pub patterns_without: Patterns,
    /// B3 among the remarks that came after the questions; nothing where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later: Option<Later>,
    /// The questions with their answers.
    pub questions: Vec<Answered>,
}

/// What became of remarks that came after the questions.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Later {
    /// How many.
    pub remarks: u64,
    /// B3 over these: which remark, early or late, each is put with, without any answer.
    pub without: BCubed,
    /// The same with the answers.
    pub with: BCubed,
}

/// A question and its answer.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Answered {
    /// How likely it was called that both ask for the same.
    pub probability: f64,
    /// How many remarks each side had.
    pub sizes: (u64, u64),
    /// What most remarks of each side ask for, as labelled.
    pub themes: (Option<String>, Option<String>),
    /// The answer: whether both, or some of a list, ask for the same.
    pub same: bool,
    /// What was said of a list, where it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listed: Option<Listed>,
    /// Why the answer was refused, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

/// What was said of the remarks of a list.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Listed {
    /// How many were shown.
    pub remarks: u64,
    /// How many ask for the same.
    pub same: u64,
    /// How many ask for nothing.
    pub nothing: u64,
    /// How many ask for something too particular for a rule.
    pub particular: u64,
}

/// What became of the lines.
#[derive(Default)]
pub(super) struct Seen<'a> {
    /// The feedback's ids in the order in which they came.
    pub order: Vec<String>,
    /// How many of them came before the questions.
    pub before_questions: usize,
    pub labels: HashMap<String, &'a Labels>,
    pub redeliveries: u64,
    pub not_evaluated: u64,
    pub spent: Duration,
}

/// The items, and the proposals by their clusters.
pub(super) type Read = (Vec<Item>, BTreeMap<String, Proposed>);
