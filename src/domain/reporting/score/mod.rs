//! How well the understanding of remarks agrees with labelled data: groups, proposals, classes, confidence.
//!
//! It compares what people say belongs together with what the evaluator made of it. It runs nothing and knows no files;
//! who reads the labels keeps them from the evaluator.
//!
//! # Definitions
//!
//! An *item* is a decision; a redelivery is none. An item is *positive* where it was approved and has no theme, or is
//! labelled positive; every other item is a *correction*. Its *group* is the cluster its evaluation names. Themes are
//! what the labels say; "majority" is the most frequent theme in a group, ties go to the first in the order of names.
//! What comes first is decided by the order of the data, which is the order in which the evaluator saw it.

mod bcubed;
mod classes;
mod confidence;
mod groups;
mod labels;
mod lists;
mod taught;

pub use bcubed::{BCubed, b_cubed, b_cubed_of};
pub use classes::{ClassFigures, Classes, Contradiction, Expected, OneReviewer, expected, figures};
pub use confidence::{Abstention, Calibrated, Confidence, THRESHOLDS, calibrated};
pub use groups::{Groups, LARGE_THEME, NearMiss, Proposals, Themes};
pub use labels::{Confused, LabelFigures, LabelScore, Labelling, labels};
pub use lists::{ClusterRow, Mixed, REMARKS, Remark, ThemeCount, ThemeRow, cluster_rows, theme_rows};
pub use taught::{Agreement, Answer, Bin, ENOUGH, agreement, bins};

use crate::domain::grouping::evaluation::Classification;
use crate::domain::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One decision: what its labels say, and what the evaluator made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The feedback's id.
    pub id: String,
    /// The agent whose work was judged.
    pub agent: String,
    /// Who decided.
    pub reviewer: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What was said, as it is compared with other remarks; empty where nothing was said.
    pub remark: String,
    /// The label: what the remark asks for.
    pub theme: Option<String>,
    /// The label: the class.
    pub label: Option<Classification>,
    /// The class the evaluator gave.
    pub class: Classification,
    /// The probability, 0 to 1, that the class is right, as the evaluator says.
    pub confidence: f64,
    /// The cluster the evaluator put it in.
    pub cluster: Option<String>,
    /// The feedback it contradicts, as the evaluator says.
    pub contradicts: Vec<String>,
}

impl Item {
    /// Whether nothing is asked for: approved, and without a theme or labelled positive.
    pub fn is_positive(&self) -> bool {
        let nothing = self.theme.is_none() || self.label == Some(Classification::Positive);
        self.verdict == Verdict::Approved && nothing
    }

    /// The theme of a correction that has one.
    pub fn asked(&self) -> Option<&str> {
        self.theme.as_deref().filter(|_| !self.is_positive())
    }

    /// Whether it is a correction that no other one shares its demand with.
    pub fn is_unthemed_correction(&self) -> bool {
        self.theme.is_none() && !self.is_positive()
    }
}

/// A proposal that the evaluator made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Proposed {
    /// Its id.
    pub id: String,
    /// The rule's text.
    pub text: String,
}

/// What is known of the data beyond the labels of its lines. Whatever is missing is derived or left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Truth {
    /// Two themes that ask for the opposite of each other.
    pub contradictory_pair: Option<(String, String)>,
    /// Themes that share words and ask for different things.
    pub near_misses: Vec<(String, String)>,
    /// A theme that one reviewer alone speaks of.
    pub single_reviewer_theme: Option<String>,
}

/// What is scored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labelled {
    /// The items in the order in which the evaluator saw them.
    pub items: Vec<Item>,
    /// The proposals by the clusters that led to them.
    pub proposals: BTreeMap<String, Proposed>,
    /// What else is known.
    pub truth: Truth,
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// How many.
    pub part: u64,
    /// Of how many.
    pub of: u64,
    /// The one divided by the other; nothing where there is nothing to divide by.
    pub share: Option<f64>,
}

impl Share {
    /// So many of so many.
    pub fn new(part: u64, of: u64) -> Share {
        Share { part, of, share: (of > 0).then(|| part as f64 / of as f64) }
    }

    /// How many of these are so.
    pub fn count(flags: impl IntoIterator<Item = bool>) -> Share {
        let (part, of) = flags.into_iter().fold((0, 0), |(part, of), is| (part + u64::from(is), of + 1));
        Share::new(part, of)
    }
}

/// How many items of which kind there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Distinct decisions.
    pub items: u64,
    /// Corrections that have a theme.
    pub themed: u64,
    /// Corrections that have none.
    pub unthemed: u64,
    /// Items that ask for nothing.
    pub positive: u64,
}

/// All figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// How many items of which kind there are.
    pub counts: Counts,
    /// B3 of the groups over corrections that have a theme.
    pub b3: BCubed,
    /// The same, with unthemed corrections as themes of one item included in the precision. Recall stays as it was: an
    /// item that is alone in its theme is always found.
    pub b3_with_unthemed: BCubed,
    /// Groups and proposals.
    pub groups: Groups,
    /// Classes.
    pub classes: Classes,
    /// What the confidence is worth.
    pub confidence: Confidence,
}

/// Scores everything.
pub fn score(data: &Labelled) -> Score {
    let items = &data.items;
    let themed = items.iter().filter(|i| i.asked().is_some()).count() as u64;
    let unthemed = items.iter().filter(|i| i.is_unthemed_correction()).count() as u64;
    let expected = expected(data);
    let (b3, b3_with_unthemed) = bcubed::of_items(items);
    Score {
        counts: Counts {
            items: items.len() as u64,
            themed,
            unthemed,
            positive: items.len() as u64 - themed - unthemed,
        },
        b3,
        b3_with_unthemed,
        groups: groups::of(data),
        classes: classes::of(data, &expected),
        confidence: confidence::of(data, &expected),
    }
}

/// The mean; nothing where there is nothing.
fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.into_iter().fold((0.0, 0_u64), |(sum, count), v| (sum + v, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests;
