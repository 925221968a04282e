//! Small steps on text that reading a remark is made of. None of them knows what a remark is.

use crate::prose::{beginning, one_line};
use regex::{Regex, RegexBuilder};

/// How much of a text is looked at: a remark that has not come to the point by then is a paste.
pub const LOOKED_AT: usize = 8_000;

/// How much of a demand is compared, in characters.
pub(super) const DEMAND: usize = 400;

/// The room for a pattern's states, in bytes: without it the engine falls back on one that takes a hundred times as long.
pub(super) const STATES: usize = 16 << 20;

/// Without the stops at its end; a question stays one.
pub(super) fn ended(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '!' | ';' | ',' | ':' | '。' | '！' | '…'))
}

/// A text with single spaces.
pub(super) fn line(text: impl AsRef<str>) -> String {
    one_line(text.as_ref())
}

/// The first characters of a text, up to the end of a word where it has one.
pub(super) fn cut(text: &str, chars: usize) -> &str {
    let head = beginning(text, chars);
    if head.len() == text.len() || text[head.len()..].starts_with(char::is_whitespace) {
        return head.trim_end();
    }
    head.rfind(char::is_whitespace).map_or(head, |end| &head[..end]).trim_end()
}

/// Whether a text has a letter or a digit, or a sign of another kind that says something (an emoji, "??").
pub(super) fn says_something(text: &str) -> bool {
    text.chars().any(|c| c.is_alphanumeric() || c == '?' || (!c.is_ascii() && !c.is_whitespace()))
}

pub(super) fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .dfa_size_limit(STATES)
        .build()
        .expect("the patterns are constants and a test compiles them")
}
