//! One thing that is wrong with a document, and how it is shown.

use super::rules::{DocumentRule, Level};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How much of a text a finding shows, in characters.
const SHOWN: usize = 80;

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Where, as a JSON pointer; empty for the document as a whole.
    pub path: String,
    /// Which rule is broken.
    pub rule: DocumentRule,
    /// How much it weighs.
    pub level: Level,
    /// What is wrong, in words, without a full stop.
    pub message: String,
    /// What stands there; long texts are shortened. Empty where the text could not be read.
    pub found: String,
    /// What would pass there.
    pub would_pass: String,
}

impl Finding {
    pub(crate) fn new(
        path: impl Into<String>,
        rule: DocumentRule,
        message: impl Into<String>,
        found: impl Into<String>,
        would_pass: impl Into<String>,
    ) -> Finding {
        Finding {
            path: path.into(),
            rule,
            level: rule.level(),
            message: message.into(),
            found: found.into(),
            would_pass: would_pass.into(),
        }
    }

    /// What is wrong and what would pass, without the place.
    pub(super) fn sentence(&self) -> String {
        let Finding { message, found, would_pass, .. } = self;
        if found.is_empty() {
            return format!("{message}; {would_pass}");
        }
        format!("{message} (found {found}; would pass: {would_pass})")
    }
}

impl std::fmt::Display for Finding {
    /// `path: message (found …; would pass: …) [rule]`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = if self.path.is_empty() { "document" } else { &self.path };
        f.write_str(&visible(&format!("{path}: {} [{}]", self.sentence(), self.rule.id())))
    }
}

/// Whether a document with these findings is refused.
pub fn is_refused(findings: &[Finding]) -> bool {
    findings.iter().any(|f| f.level == Level::Error)
}

/// A text as one short line.
pub(super) fn shown(text: &str) -> String {
    crate::text::prose::line(text, SHOWN)
}

/// A text of an object, where it is one.
pub(super) fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// A text of strangers for a terminal: on one line, without control characters.
pub(super) fn visible(text: &str) -> String {
    let shown = |c: char| if c.is_control() || crate::text::redact::is_hidden(c) { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}
