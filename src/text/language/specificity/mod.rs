//! Whether the text of a rule is actionable and verifiable (specification, "Review documents: Validation";
//! specification, "Rules").
//!
//! Words are judged in context: quotations and code do not count, nor does what a ban forbids. Whether a rule is right
//! is for people to decide; whether it repeats another one is checked by `restate`.

mod checks;
mod context;
mod lint;
pub mod phrases;
#[cfg(test)]
mod tests;
mod violation;

pub use lint::{lint, lint_issue};
pub use violation::{Finding, LintRule, MAX_CHARS, MIN_WORDS};
