//! The answer to *why*, and its sentences.

pub use crate::text::prose::day;
use crate::text::prose::one_line;
use jiff::Timestamp;
use serde::Serialize;

/// What an id can name here, as used in error messages.
pub const ANYTHING: &str = "rule, feedback, cluster, one-off or review";
/// What a line can name.
pub const RULE_TEXT: &str = "rule with a text like";
/// How many comments are listed.
pub const REMARKS: usize = 10;

/// The answer to *why*.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lineage {
    /// The query.
    pub asked: String,
    /// Its kind.
    pub kind: Kind,
    /// The line's id.
    pub id: String,
    /// How it was found.
    pub found_by: FoundBy,
    /// A sentence for people about how it was found; empty if the id was given.
    pub note: String,
    /// The chain, in reading order.
    pub chapters: Vec<Chapter>,
}

/// What a query can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A rule, or a proposal of one.
    Rule,
    /// Returns a cluster.
    Cluster,
    /// A feedback.
    Feedback,
    /// A one-off.
    EdgeCase,
    /// A review.
    Review,
}

/// How it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// By its id.
    Id,
    /// By the id at the end of a prompt's line.
    LineEnd,
    /// By identical text.
    SameText,
    /// By similar text, sharing most words.
    SimilarText,
}

/// A part of the chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chapter {
    /// Its subject, for programs; the values are stable.
    pub part: &'static str,
    /// The same for people.
    pub title: String,
    /// Its sentences.
    pub lines: Vec<Line>,
}

/// One sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// When it happened.
    pub at: Option<Timestamp>,
    /// The person responsible.
    pub who: Option<String>,
    /// Its subject: the id of a record, or a commit.
    pub id: Option<String>,
    /// The file that contains it.
    pub path: Option<String>,
    /// The sentence, including who did it.
    pub text: String,
}

pub fn chapter(part: &'static str, title: impl Into<String>, lines: Vec<Line>) -> Chapter {
    Chapter { part, title: title.into(), lines }
}

/// A sentence without a person.
pub fn said(at: Option<Timestamp>, text: impl Into<String>) -> Line {
    Line { at, text: text.into(), ..Line::default() }
}

/// Returns `, saying “…”`, or nothing.
pub fn because(reason: Option<&String>) -> String {
    reason.map_or_else(String::new, |r| format!(", saying “{}”", one_line(r)))
}
