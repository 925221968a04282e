//! Problems of a catalogue, and their collection.

use crate::language::catalogue::concern::Concern;
use serde::Serialize;

/// Its severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Comments are misread because of it, or no rule can be built.
    Error,
    /// Needs human attention.
    Warning,
}

/// The check that failed. The spelling is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// A file cannot be read, or a concern in it is unusable.
    Unreadable,
    /// `related` or `opposite` names no concern, or the concern itself.
    UnknownId,
    /// The opposite of the opposite is another concern.
    OppositeNotMutual,
    /// Opposites point the same way: demands for one are taken for the other.
    OppositeDirection,
    /// Too few phrasings.
    FewPhrasings,
    /// The same phrasing twice in a concern.
    RepeatedPhrasing,
    /// The same phrasing in two concerns of the same work.
    SharedPhrasing,
    /// An invalid term.
    Term,
    /// The same term twice in a language, or for and against.
    RepeatedTerm,
    /// No terms in a language.
    Language,
    /// A heavy term that occurs in many other concerns.
    CommonTerm,
    /// A phrasing that is read as another concern.
    MisreadPhrasing,
    /// Two nearly identical concerns.
    NearlyTheSame,
    /// A rule that the rule linter would reject.
    Rule,
    /// A rule that does not start as a demand.
    NotImperative,
    /// No reason.
    Why,
    /// English text with non-ASCII characters.
    NotAscii,
}

/// A problem to fix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LintIssue {
    /// Its severity.
    pub severity: Severity,
    /// The concern; empty for a whole file.
    pub concern: String,
    /// The failed check.
    pub check: Check,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Collects findings.
#[derive(Default)]
pub(super) struct Findings(pub(super) Vec<LintIssue>);

impl Findings {
    pub(super) fn error(&mut self, concern: &Concern, check: Check, message: impl Into<String>) {
        self.add(Severity::Error, concern, check, message);
    }

    pub(super) fn warn(&mut self, concern: &Concern, check: Check, message: impl Into<String>) {
        self.add(Severity::Warning, concern, check, message);
    }

    fn add(&mut self, severity: Severity, concern: &Concern, check: Check, message: impl Into<String>) {
        self.0.push(LintIssue { severity, concern: concern.id.clone(), check, message: message.into() });
    }

    pub(super) fn sorted(mut self) -> Vec<LintIssue> {
        self.0.sort();
        self.0
    }
}
