//! What is scored: items with their labels, proposals, and what else is known of the data.

use crate::clusters::evaluation::Classification;
use crate::text::verdict::Verdict;
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
    /// The group the evaluator put it in.
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
