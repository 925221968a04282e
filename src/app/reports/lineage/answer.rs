//! What is told, and the sentences it is told in.

pub use crate::text::prose::day;
use crate::text::prose::one_line;
use jiff::Timestamp;
use serde::Serialize;

/// What an id can name here, as an error says it.
pub const ANYTHING: &str = "rule, feedback, cluster, edge case or review";
/// What a line can name.
pub const RULE_TEXT: &str = "rule with a text like";
/// So many remarks are told.
pub const REMARKS: usize = 10;

/// The answer to *why*.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lineage {
    /// What was asked about.
    pub asked: String,
    /// What that is.
    pub kind: Kind,
    /// Its id.
    pub id: String,
    /// How it was found.
    pub found_by: FoundBy,
    /// One sentence for people about how it was found; empty where the id was given.
    pub note: String,
    /// The chain, in the order in which it is read.
    pub chapters: Vec<Chapter>,
}

/// What can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A rule, or a proposal of one.
    Rule,
    /// A cluster.
    Cluster,
    /// A feedback.
    Feedback,
    /// An edge case.
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
    /// By its text, which is the same.
    SameText,
    /// By its text, which shares most words.
    SimilarText,
}

/// A part of the chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chapter {
    /// What it is about, for programs; the values are stable.
    pub part: &'static str,
    /// The same for people.
    pub title: String,
    /// What is told.
    pub lines: Vec<Line>,
}

/// One sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// When it happened.
    pub at: Option<Timestamp>,
    /// Who did it.
    pub who: Option<String>,
    /// What it is about: the id of a record, or a commit.
    pub id: Option<String>,
    /// The file it stands in.
    pub path: Option<String>,
    /// In words; who did it is among them.
    pub text: String,
}

pub fn chapter(part: &'static str, title: impl Into<String>, lines: Vec<Line>) -> Chapter {
    Chapter { part, title: title.into(), lines }
}

/// A sentence about nobody.
pub fn said(at: Option<Timestamp>, text: impl Into<String>) -> Line {
    Line { at, text: text.into(), ..Line::default() }
}

/// `, saying “…”`, or nothing.
pub fn because(reason: Option<&String>) -> String {
    reason.map_or_else(String::new, |r| format!(", saying “{}”", one_line(r)))
}
