//! What is wrong with a catalogue that can be used: what its editors should mend.

use super::catalogue::Catalogue;

/// Something to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// The concern.
    pub concern: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Looks a catalogue over.
pub fn lint(catalogue: &Catalogue) -> Vec<LintFinding> {
    let _ = catalogue;
    Vec::new()
}
