//! Comments as sent off this machine: redacted again, without hidden characters, and shortened.

use crate::text::language::guard::harmless;
use crate::text::prose::line;
use crate::text::redact::{clean_text, redact};
use serde::Serialize;

/// The displayed length of a comment, in characters.
pub(super) const COMMENT: usize = 400;
/// How much of the code before a comment is shown, in characters and in lines, from its end.
const CODE: usize = 240;
const CODE_LINES: usize = 5;
/// The displayed length of a suggestion and of the answered comment, in characters.
const SUGGESTION: usize = 240;
const ANSWERED: usize = 160;
/// The displayed length of a path, in characters, from its end: the file name is most informative.
const PATH: usize = 40;

/// A comment with its context, as stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommentSource<'a> {
    /// The feedback.
    pub id: &'a str,
    /// The text.
    pub text: &'a str,
    /// The file it is about; empty if unknown.
    pub path: &'a str,
    /// The last lines of the hunk; the comment refers to the last one.
    pub code: &'a [String],
    /// The code it suggests instead.
    pub suggestion: Option<&'a str>,
    /// The comment it answers.
    pub answers: Option<&'a str>,
}

/// A comment as a model sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommentExcerpt {
    /// The feedback. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// The number by which the model refers to it, from 1.
    pub id: usize,
    /// The file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The end of the code before the comment.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// The text.
    #[serde(rename = "remark")]
    pub comment: String,
    /// The code that the comment suggests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub suggestion: String,
    /// The comment it answers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub answers: String,
}

impl CommentExcerpt {
    /// Builds a comment as it may be shown, with a number.
    pub(super) fn new(id: usize, said: &CommentSource<'_>) -> CommentExcerpt {
        let last = &said.code[said.code.len().saturating_sub(CODE_LINES)..];
        CommentExcerpt {
            about: said.id.to_owned(),
            id,
            file: end(&shown_code(said.path), PATH),
            code: end(&shown_code(&last.join("\n")), CODE),
            comment: shown_line(said.text),
            suggestion: line(&shown_code(said.suggestion.unwrap_or_default()), SUGGESTION),
            answers: line(&shown_line(said.answers.unwrap_or_default()), ANSWERED),
        }
    }
}

/// Cleans a line. Texts are redacted when captured; what leaves this machine is redacted again.
pub(super) fn shown_line(text: &str) -> String {
    line(&harmless(&redact(&clean_text(text)).text), COMMENT)
}

/// Cleans code, which keeps its lines and its tags.
fn shown_code(text: &str) -> String {
    redact(&clean_text(text)).text
}

fn end(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(count - most)).collect()
}
