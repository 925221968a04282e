//! An error in a document, and its presentation.

use super::rules::{DocumentRule, Level};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How much of a text a finding shows, in characters.
const SHOWN: usize = 80;

/// One error in a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Finding")]
pub struct Diagnostic {
    /// The place as a JSON pointer; empty for the whole document.
    pub path: String,
    /// The broken rule.
    pub rule: DocumentRule,
    /// Its severity.
    pub level: Level,
    /// What is wrong, in words, without a full stop.
    pub message: String,
    /// The value found; long texts are shortened. Empty if the text could not be read.
    pub found: String,
    /// What would be valid there.
    pub would_pass: String,
}

impl Diagnostic {
    pub(crate) fn new(
        path: impl Into<String>,
        rule: DocumentRule,
        message: impl Into<String>,
        found: impl Into<String>,
        would_pass: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            path: path.into(),
            rule,
            level: rule.level(),
            message: message.into(),
            found: found.into(),
            would_pass: would_pass.into(),
        }
    }

    /// Returns what is wrong and what would pass, without the place.
    pub(super) fn sentence(&self) -> String {
        let Diagnostic { message, found, would_pass, .. } = self;
        if found.is_empty() {
            return format!("{message}; {would_pass}");
        }
        format!("{message} (found {found}; would pass: {would_pass})")
    }
}

impl std::fmt::Display for Diagnostic {
    /// `path: message (found …; would pass: …) [rule]`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = if self.path.is_empty() { "document" } else { &self.path };
        f.write_str(&visible(&format!("{path}: {} [{}]", self.sentence(), self.rule.id())))
    }
}

/// Reports whether a document with these findings is rejected.
pub fn is_refused(findings: &[Diagnostic]) -> bool {
    findings.iter().any(|f| f.level == Level::Error)
}

/// Returns a text as one short line.
pub(super) fn shown(text: &str) -> String {
    crate::text::prose::line(text, SHOWN)
}

/// Returns the text at a pointer, if it is one.
pub(super) fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// Returns untrusted text for a terminal: on one line, without control characters.
pub(super) fn visible(text: &str) -> String {
    let shown = |c: char| if c.is_control() || crate::text::redact::is_hidden(c) { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}
