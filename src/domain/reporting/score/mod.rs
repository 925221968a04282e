//! How well the understanding of comments agrees with labelled data: clusters, proposals, classes, confidence.
//!
//! It compares what people say belongs together with the evaluator's result. It runs nothing and accesses no files; the
//! code that reads the labels keeps them from the evaluator.
//!
//! # Definitions
//!
//! An *item* is a decision; redeliveries do not count. An item is *positive* if it was approved and has no theme, or is
//! labelled positive; every other item is a *correction*. Its *group* is the cluster named in its evaluation. Themes
//! are given by the labels. "Majority" is the most frequent theme in a group; ties go to the first by name. The order
//! of the data, in which the evaluator processed it, decides what comes first.

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
pub use groups::{ClusterScores, LARGE_THEME, NearMiss, Proposals, Themes};
pub use item::{Item, Labelled, Proposed, Truth};
pub use labels::{Confused, LabelFigures, LabelScore, Labelling, labels};
pub use lists::{ClusterRow, Mixed, REMARKS, Remark, ThemeCount, ThemeRow, cluster_rows, theme_rows};
pub use patterns::Patterns;
pub use share::Share;
pub use summary::{Counts, Score, patterns, score};
pub use taught::{Agreement, Answer, Bin, ENOUGH, agreement, bins};
