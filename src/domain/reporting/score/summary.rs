//! All figures together, as printed and written by `eval`.

use super::bcubed::{self, BCubed};
use super::classes::{self, Classes, expected};
use super::confidence::{self, Confidence};
use super::groups::{self, ClusterScores};
use super::item::{Item, Labelled};
use super::patterns::{self, Patterns};
use serde::Serialize;

/// The number of items of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Distinct decisions.
    pub items: u64,
    /// Corrections with a theme.
    pub themed: u64,
    /// Corrections without a theme.
    pub unthemed: u64,
    /// Items that ask for nothing.
    pub positive: u64,
}

/// Returns all figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The number of items of each kind.
    pub counts: Counts,
    /// Predicted and actual patterns.
    pub patterns: Patterns,
    /// B3 of the clusters over themed corrections.
    pub b3: BCubed,
    /// B3 with unthemed corrections included in the precision as single-item themes. Recall is unchanged: an item alone
    /// in its theme is always found.
    pub b3_with_unthemed: BCubed,
    /// Clusters and proposals.
    pub groups: ClusterScores,
    pub classes: Classes,
    /// The quality of the confidence.
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

/// Computes only the figures of predicted and actual patterns.
pub fn patterns(data: &[Item]) -> Patterns {
    patterns::of(data)
}
