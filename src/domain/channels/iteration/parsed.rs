//! The result of reading a text: values and the line of each place, or why it cannot be read.

use super::DocumentRule;
use super::diagnostic::Diagnostic;
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ParseError {
    /// The line, from 1, if known.
    pub line: Option<usize>,
    /// Returns what is wrong, in words.
    pub message: String,
    /// Returns what to do about the error.
    pub hint: String,
}

impl ParseError {
    /// Returns the error as a finding, with its line, so that it can be shown with other findings.
    pub fn finding(&self) -> (Diagnostic, Lines) {
        let mut lines = Lines::default();
        if let Some(line) = self.line {
            lines.note("", line);
        }
        let hint = self.hint.trim_end_matches('.');
        (Diagnostic::new("", DocumentRule::Unreadable, &*self.message, "", hint), lines)
    }
}

/// The source line of each place in a value, best effort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(BTreeMap<String, usize>);

impl Lines {
    /// Returns the line, from 1, of a JSON pointer: of the field's name if it has one. A missing place has the line of
    /// its parent.
    pub fn of(&self, pointer: &str) -> Option<usize> {
        let mut at = pointer;
        loop {
            if let Some(line) = self.0.get(at) {
                return Some(*line);
            }
            at = &at[..at.rfind('/')?];
        }
    }

    /// Records a place. Returns `false` if it was already recorded.
    pub(super) fn note(&mut self, pointer: &str, line: usize) -> bool {
        self.0.insert(pointer.to_owned(), line).is_none()
    }
}

/// One value of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub value: Value,
    /// The lines of its places in the text.
    pub lines: Lines,
}

pub(super) fn error(line: Option<usize>, message: impl Into<String>, hint: impl Into<String>) -> ParseError {
    ParseError { line, message: message.into(), hint: hint.into() }
}

/// Extends a JSON pointer by one step.
pub(super) fn step(pointer: &mut String, name: &str) {
    pointer.push('/');
    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
}
