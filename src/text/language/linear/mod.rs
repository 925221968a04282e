//! One small linear model: multinomial logistic regression over sparse features that have names.
//!
//! A model is a readable table: a line a feature, a weight per label. Whoever uses it makes the features; this module
//! neither reads texts nor files. Training is deterministic (`train.rs`): the same examples in the same order give the
//! same table, so a committed table can be checked against a new run.

mod model;
mod table;
#[cfg(test)]
mod tests;
mod train;

pub use model::{Model, Prediction};
pub use train::{Example, Options, train};
