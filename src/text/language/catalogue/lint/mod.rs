//! What is wrong with a catalogue that can be used: what its editors should mend.
//!
//! `checks` looks at what is written, `texts` at its sentences, `readings` at how the catalogue reads its own phrasings.
//! Whether a concern is worth having is for people to decide.

mod checks;
mod issue;
mod readings;
#[cfg(test)]
mod tests;
mod texts;

pub use checks::lint;
pub use issue::{Check, LintFinding, Severity};
pub use readings::{Misread, lint_nearness, misread};
