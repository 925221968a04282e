//! A small linear model: multinomial logistic regression over sparse, named features.
//!
//! A model is a readable table: one line per feature, one weight per label. The caller computes the features; this
//! module reads neither texts nor files. Training is deterministic (`train.rs`): the same examples in the same order
//! give the same table, so a committed table can be checked against a new run.

mod model;
mod table;
#[cfg(test)]
mod tests;
mod train;

pub use model::{Model, Prediction};
pub use train::{Example, Options, train};
