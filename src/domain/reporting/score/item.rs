//! Input for scoring: items with their labels, proposals, and other known facts about the data.

use crate::clusters::evaluation::Classification;
use crate::text::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One decision: its labels and the evaluator's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The feedback's id.
    pub id: String,
    /// The agent whose work was judged.
    pub agent: String,
    /// The reviewer.
    pub reviewer: String,
    pub verdict: Verdict,
    /// The text as compared with other comments; empty if there is none.
    pub remark: String,
    /// The theme label: what the comment asks for.
    pub theme: Option<String>,
    /// The class label.
    pub label: Option<Classification>,
    /// The class given by the evaluator.
    pub class: Classification,
    /// The evaluator's probability, 0 to 1, that the class is right.
    pub confidence: f64,
    /// The cluster chosen by the evaluator.
    pub cluster: Option<String>,
    /// The feedback it contradicts, according to the evaluator.
    pub contradicts: Vec<String>,
}

impl Item {
    /// Reports whether it asks for nothing: approved without a theme, or labelled positive.
    pub fn is_positive(&self) -> bool {
        let nothing = self.theme.is_none() || self.label == Some(Classification::Positive);
        self.verdict == Verdict::Approved && nothing
    }

    /// Returns the theme of a themed correction.
    pub fn asked(&self) -> Option<&str> {
        self.theme.as_deref().filter(|_| !self.is_positive())
    }

    /// Reports whether it is a correction whose demand no other shares.
    pub fn is_unthemed_correction(&self) -> bool {
        self.theme.is_none() && !self.is_positive()
    }
}

/// A proposal by the evaluator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Proposed {
    pub id: String,
    /// The rule's text.
    pub text: String,
}

/// Facts about the data beyond its line labels. Missing ones are derived or omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Truth {
    /// Two themes that ask for opposites.
    pub contradictory_pair: Option<(String, String)>,
    /// Themes that share words but ask for different things.
    pub near_misses: Vec<(String, String)>,
    /// A theme raised by a single reviewer.
    pub single_reviewer_theme: Option<String>,
}

/// The input for scoring.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labelled {
    /// The items in the order in which the evaluator processed them.
    pub items: Vec<Item>,
    /// The proposals, by the clusters that led to them.
    pub proposals: BTreeMap<String, Proposed>,
    /// Further known facts.
    pub truth: Truth,
}
