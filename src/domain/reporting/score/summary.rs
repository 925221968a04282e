//! All figures at once: what `eval` prints and writes.

use super::bcubed::{self, BCubed};
use super::classes::{self, Classes, expected};
use super::confidence::{self, Confidence};
use super::groups::{self, Groups};
use super::item::{Item, Labelled};
use super::patterns::{self, Patterns};
use serde::Serialize;

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
    /// What is called a pattern, and what is one.
    pub patterns: Patterns,
    /// B3 of the groups over corrections that have a theme.
    pub b3: BCubed,
    /// The same, with unthemed corrections as themes of one item included in the precision. Recall stays as it was: an
    /// item that is alone in its theme is always found.
    pub b3_with_unthemed: BCubed,
    /// Groups and proposals.
    pub groups: Groups,
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
        patterns: patterns::of(items),
        b3,
        b3_with_unthemed,
        groups: groups::of(data),
        classes: classes::of(data, &expected),
        confidence: confidence::of(data, &expected),
    }
}

/// What is called a pattern, and what is one, by itself.
pub fn patterns(data: &[Item]) -> Patterns {
    patterns::of(data)
}
