//! The parts of a comment: the demand, and the pieces around it.

use super::language::Language;

/// A comment split into its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenApart {
    /// The text that is compared: the reviewer's own words without wrapping, pasted text and redaction marks, on one
    /// line, at most 400 characters. Never empty unless the text is.
    pub demand: String,
    /// The separate demands, usually one, at most four.
    pub demands: Vec<String>,
    /// The language of the demand.
    pub language: Language,
    /// What surrounded the demand, at most sixteen pieces.
    pub set_aside: Vec<SetAside>,
}

/// A piece of a comment that is not its demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    pub kind: SurroundingPart,
    /// Its text on one line, at most 80 characters.
    pub text: String,
}

/// The kind of such a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurroundingPart {
    /// Quoted lines.
    Quote,
    /// Code in a fence or on separate lines.
    Code,
    Diff,
    /// A stack trace or log lines.
    Trace,
    /// Its location: a file, a line, a section.
    Location,
    /// Its addressee.
    Address,
    /// Its urgency, repetition, greetings and thanks.
    Marker,
}
