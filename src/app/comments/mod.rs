//! How a comment is understood: its demand, its similar comments, and why.

pub mod analyzer;
pub mod catalogue_lint;
pub mod evaluator;
pub mod explanation;
