//! Comments as they leave this machine: redacted once more, without hidden characters, and shortened.

use crate::text::language::guard::harmless;
use crate::text::prose::line;
use crate::text::redact::{clean_text, redact};
use serde::Serialize;

/// How much of each comment is shown, in characters.
pub(super) const COMMENT: usize = 400;
/// How much of the code before a comment is shown, in characters and in lines, from its end.
const CODE: usize = 240;
const CODE_LINES: usize = 5;
/// How much of a suggestion and of the comment that is answered is shown, in characters.
const SUGGESTION: usize = 240;
const ANSWERED: usize = 160;
/// How much of a path is shown, in characters, from its end: the name of the file tells most.
const PATH: usize = 40;

/// A comment with what it stands on, as the store has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said<'a> {
    /// The feedback.
    pub id: &'a str,
    /// What was said.
    pub text: &'a str,
    /// The file that it is about; empty if that is not known.
    pub path: &'a str,
    /// The last lines of the hunk, of which the last is the one that the comment stands on.
    pub code: &'a [String],
    /// The code that it would put there.
    pub suggestion: Option<&'a str>,
    /// The comment that it answers.
    pub answers: Option<&'a str>,
}

/// A comment as a model sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// The feedback. The model does not see it.
    #[serde(skip)]
    pub about: String,
    /// By which number the model names it, from 1.
    pub id: usize,
    /// The file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The end of the code before the comment.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// What was said.
    #[serde(rename = "remark")]
    pub comment: String,
    /// The code that the comment suggests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub suggestion: String,
    /// What it answers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub answers: String,
}

impl Shown {
    /// A comment as it may be shown, under a number.
    pub(super) fn new(id: usize, said: &Said<'_>) -> Shown {
        let last = &said.code[said.code.len().saturating_sub(CODE_LINES)..];
        Shown {
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

/// Texts are redacted when they are captured. What leaves this machine is looked at once more.
pub(super) fn shown_line(text: &str) -> String {
    line(&harmless(&redact(&clean_text(text)).text), COMMENT)
}

/// The same for code, which keeps its lines and its tags.
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
