//! The parts of a remark: the demand, and the pieces that stand around it.

use super::language::Language;

/// A remark taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenApart {
    /// What is compared: the reviewer's own words without wrapping, pasted matter and redaction marks, on one line, at
    /// most 400 characters. Something is left unless the text is empty.
    pub demand: String,
    /// The separate demands, one element mostly, four at most.
    pub demands: Vec<String>,
    /// The language of the demand.
    pub language: Language,
    /// What stood around the demand, sixteen pieces at most.
    pub set_aside: Vec<SetAside>,
}

/// A piece of a remark that is not its demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    pub kind: Aside,
    /// Its text on one line, at most 80 characters.
    pub text: String,
}

/// What a piece of a remark is that is not its demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aside {
    /// Quoted lines.
    Quote,
    /// Code in a fence or in lines of its own.
    Code,
    Diff,
    /// A stack trace or lines of a log.
    Trace,
    /// Where it points: a file, a line, a section.
    Location,
    /// Whom it is addressed to.
    Address,
    /// How urgent it is, how often it was said, greetings and thanks.
    Marker,
}
