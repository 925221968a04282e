//! What each key may hold: one rule a key, so that an error, the documentation and the check say the same.
//!
//! The rules stand in the files named after what their keys are about, in the order of `config/default.toml`.

mod daemon;
mod forges;
mod intake;
mod models;
mod notify;
mod predicates;
mod problems;
mod rule;
mod rules;

pub(super) use problems::{problem, problems, section, sections};
