//! What can be wrong with a catalogue, and how it is collected.

use crate::language::catalogue::concern::Concern;
use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Remarks are read wrongly because of it, or a rule cannot be made.
    Error,
    /// Somebody should look at it.
    Warning,
}

/// What was looked for. The spelling is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// A file cannot be read, or a concern in it is of no use.
    Unreadable,
    /// `related` or `opposite` names no concern, or the concern itself.
    UnknownId,
    /// The opposite of the opposite is another concern.
    OppositeNotMutual,
    /// Opposites point the same way: what asks for the one is taken for the other.
    OppositeDirection,
    /// Too few phrasings.
    FewPhrasings,
    /// The same phrasing twice in a concern.
    RepeatedPhrasing,
    /// The same phrasing in two concerns of the same work.
    SharedPhrasing,
    /// A term that cannot be read.
    Term,
    /// The same term twice in a language, or for and against.
    RepeatedTerm,
    /// No terms in a language.
    Language,
    /// A heavy term that stands in what many other concerns say.
    CommonTerm,
    /// A phrasing that is read as another concern.
    MisreadPhrasing,
    /// Two concerns that say nearly the same.
    NearlyTheSame,
    /// A rule that the linter of rules would refuse.
    Rule,
    /// A rule that does not begin like a demand.
    NotImperative,
    /// No reason.
    Why,
    /// English with other than ASCII characters.
    NotAscii,
}

/// Something to mend.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LintFinding {
    /// How bad it is.
    pub severity: Severity,
    /// The concern; empty where a whole file is meant.
    pub concern: String,
    /// What was looked for.
    pub check: Check,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Collects findings.
#[derive(Default)]
pub(super) struct Findings(pub(super) Vec<LintFinding>);

impl Findings {
    pub(super) fn error(&mut self, concern: &Concern, check: Check, message: impl Into<String>) {
        self.add(Severity::Error, concern, check, message);
    }

    pub(super) fn warn(&mut self, concern: &Concern, check: Check, message: impl Into<String>) {
        self.add(Severity::Warning, concern, check, message);
    }

    fn add(&mut self, severity: Severity, concern: &Concern, check: Check, message: impl Into<String>) {
        self.0.push(LintFinding { severity, concern: concern.id.clone(), check, message: message.into() });
    }

    pub(super) fn sorted(mut self) -> Vec<LintFinding> {
        self.0.sort();
        self.0
    }
}
