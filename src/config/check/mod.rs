//! The allowed values of each key: one rule per key, shared by the error, the documentation and the check.
//!
//! The rules are in files named after their subject, in the order of `config/default.toml`.

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
