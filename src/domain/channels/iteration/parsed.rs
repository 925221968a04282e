//! What was read out of a text: values, the line of each of their places, or why it cannot be read.

use super::DocumentRule;
use super::diagnostic::Finding;
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ParseError {
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong, in words.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl ParseError {
    /// The error as what was found in the text, with its line, so that it can be shown beside other findings.
    pub fn finding(&self) -> (Finding, Lines) {
        let mut lines = Lines::default();
        if let Some(line) = self.line {
            lines.note("", line);
        }
        let hint = self.hint.trim_end_matches('.');
        (Finding::new("", DocumentRule::Unreadable, &*self.message, "", hint), lines)
    }
}

/// The source line of each place of a value, best effort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(BTreeMap<String, usize>);

impl Lines {
    /// The line, from 1, of a JSON pointer: of the field's name where it has one. A place that is not there has the
    /// line of what should hold it.
    pub fn of(&self, pointer: &str) -> Option<usize> {
        let mut at = pointer;
        loop {
            if let Some(line) = self.0.get(at) {
                return Some(*line);
            }
            at = &at[..at.rfind('/')?];
        }
    }

    /// Notes a place. `false` where it was noted before.
    pub(super) fn note(&mut self, pointer: &str, line: usize) -> bool {
        self.0.insert(pointer.to_owned(), line).is_none()
    }
}

/// One value of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub value: Value,
    /// Where its places are in the text.
    pub lines: Lines,
}

pub(super) fn error(line: Option<usize>, message: impl Into<String>, hint: impl Into<String>) -> ParseError {
    ParseError { line, message: message.into(), hint: hint.into() }
}

/// Goes one step deeper with a JSON pointer.
pub(super) fn step(pointer: &mut String, name: &str) {
    pointer.push('/');
    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
}
