//! What each key may hold: one rule a key, so that an error, the documentation and the check say the same.
//!
//! The rules stand in the files named after what their keys are about, in the order of `config/default.toml`.

mod forging;
mod intake;
mod learning;
mod notifying;
mod predicates;
mod problems;
mod rule;
mod running;
mod understanding;

pub(super) use problems::{problem, problems, section, sections};
