//! Problems of a usable catalogue that its editors should fix.
//!
//! `checks` checks the content, `texts` the sentences, `readings` how the catalogue reads its own phrasings. Whether a
//! concern is worth having is for people to decide.

mod checks;
mod issue;
mod readings;
#[cfg(test)]
mod tests;
mod texts;

pub use checks::lint;
pub use issue::{Check, LintIssue, Severity};
pub use readings::{Misread, lint_nearness, misread};
