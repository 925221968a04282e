//! How well the understanding of remarks agrees with labelled data: groups, proposals, classes, confidence.
//!
//! It compares what people say belongs together with what the evaluator made of it. It runs nothing and knows no files;
//! who reads the labels keeps them from the evaluator.
//!
//! # Definitions
//!
//! An *item* is a decision; a redelivery is none. An item is *positive* where it was approved and has no theme, or is
//! labelled positive; every other item is a *correction*. Its *group* is the one its evaluation names. Themes are
//! what the labels say; "majority" is the most frequent theme in a group, ties go to the first in the order of names.
//! What comes first is decided by the order of the data, which is the order in which the evaluator saw it.

mod bcubed;
mod classes;
mod confidence;
mod groups;
mod item;
mod labels;
mod lists;
mod patterns;
mod share;
mod summary;
mod taught;
#[cfg(test)]
mod tests;

pub use bcubed::{BCubed, b_cubed, b_cubed_of};
pub use classes::{ClassFigures, Classes, Contradiction, Expected, OneReviewer, expected, figures};
pub use confidence::{Abstention, Calibrated, Confidence, THRESHOLDS, calibrated};
pub use groups::{Groups, LARGE_THEME, NearMiss, Proposals, Themes};
pub use item::{Item, Labelled, Proposed, Truth};
pub use labels::{Confused, LabelFigures, LabelScore, Labelling, labels};
pub use lists::{ClusterRow, Mixed, REMARKS, Remark, ThemeCount, ThemeRow, cluster_rows, theme_rows};
pub use patterns::Patterns;
pub use share::Share;
pub use summary::{Counts, Score, patterns, score};
pub use taught::{Agreement, Answer, Bin, ENOUGH, agreement, bins};
