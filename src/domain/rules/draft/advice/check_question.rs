//! Rules with their evidence: which of it each would settle, and how it should be worded.

use super::excerpt::{CommentExcerpt, CommentSource, shown_line};
use super::place_question::{DemandOption, KnownDemand, known};
use serde::Serialize;

/// The maximum number of comments of one pattern in a question: further questions check the rest.
pub const CHECKED: usize = 24;
/// The maximum number of comments of all patterns in one question.
pub const SHOWN: usize = 40;
/// The maximum number of patterns in one question.
pub const PATTERNS: usize = 5;
/// The number of other demands shown with each.
pub const BESIDE: usize = 4;

/// Patterns to check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckQuestion {
    /// The agent whose work they are about. The model does not see it.
    #[serde(skip)]
    pub agent: String,
    /// The patterns, at most [`PATTERNS`].
    pub patterns: Vec<ToCheck>,
}

/// A pattern to check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToCheck {
    /// The cluster. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The number by which the model refers to it, from 1.
    pub pattern: usize,
    /// The rule, or the demand as it was read.
    pub rule: String,
    /// The evidence, numbered from 1.
    pub comments: Vec<CommentExcerpt>,
    /// Other nearby demands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<KnownDemand>,
    /// Why the previous wording was rejected, if there was one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refused: String,
}

impl ToCheck {
    /// Builds a pattern from what may be shown. More than [`CHECKED`] comments are left out.
    pub fn new<'s>(
        about: &str,
        rule: &str,
        comments: impl IntoIterator<Item = CommentSource<'s>>,
        others: impl IntoIterator<Item = DemandOption<'s>>,
        refused: &str,
    ) -> ToCheck {
        let comments = (1..).zip(comments.into_iter().take(CHECKED));
        ToCheck {
            about: about.to_owned(),
            pattern: 0,
            rule: shown_line(rule),
            comments: comments.map(|(id, said)| CommentExcerpt::new(id, &said)).collect(),
            others: known(others, BESIDE, 1),
            refused: refused.to_owned(),
        }
    }

    /// Returns the evidence shown.
    pub fn evidence(&self) -> impl Iterator<Item = &str> {
        self.comments.iter().map(|shown| shown.about.as_str())
    }
}

impl CheckQuestion {
    /// Builds a question about patterns in an agent's work. More than [`PATTERNS`] are left out.
    pub fn new(agent: &str, patterns: Vec<ToCheck>) -> CheckQuestion {
        let patterns = (1..).zip(patterns.into_iter().take(PATTERNS));
        let patterns = patterns.map(|(pattern, to_check)| ToCheck { pattern, ..to_check }).collect();
        CheckQuestion { agent: agent.to_owned(), patterns }
    }

    /// Returns each cluster, followed by the evidence shown.
    pub fn about(&self) -> Vec<String> {
        let one = |pattern: &ToCheck| {
            let evidence = pattern.comments.iter().map(|shown| shown.about.clone());
            std::iter::once(pattern.about.clone()).chain(evidence).collect::<Vec<_>>()
        };
        self.patterns.iter().flat_map(one).collect()
    }

    /// Returns the clusters that it is about.
    pub fn groups(&self) -> Vec<String> {
        self.patterns.iter().map(|pattern| pattern.about.clone()).collect()
    }
}
