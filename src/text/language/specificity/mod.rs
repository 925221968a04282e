//! Whether the text of a rule says something that can be done and checked (specification, "Review documents:
//! Validation"; specification, "Rules").
//!
//! Words are judged where they stand: quotations and code do not count, and what a ban forbids is not what it says.
//! Whether a rule is right is for people to decide; whether it repeats another one is `restate`'s work.

mod checks;
mod context;
mod lint;
pub mod phrases;
#[cfg(test)]
mod tests;
mod violation;

pub use lint::{lint, lint_issue};
pub use violation::{Finding, LintRule, MAX_CHARS, MIN_WORDS};
