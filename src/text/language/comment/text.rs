//! Text primitives for parsing a comment. None of them knows what a comment is.

use crate::prose::{beginning, one_line};
use regex::{Regex, RegexBuilder};

/// Characters of a text that are read: a comment with no point by then is pasted text.
pub const LOOKED_AT: usize = 8_000;

/// Characters of a demand that are compared.
pub(super) const DEMAND: usize = 400;

/// The space for a pattern's states, in bytes: with less the engine falls back on one that takes a hundred times as
/// long.
pub(super) const STATES: usize = 16 << 20;

/// Removes trailing full stops; a question mark stays.
pub(super) fn ended(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '!' | ';' | ',' | ':' | '。' | '！' | '…'))
}

/// Collapses the spaces of a text.
pub(super) fn line(text: impl AsRef<str>) -> String {
    one_line(text.as_ref())
}

/// Returns the first characters of a text, up to a word end if possible.
pub(super) fn cut(text: &str, chars: usize) -> &str {
    let head = beginning(text, chars);
    if head.len() == text.len() || text[head.len()..].starts_with(char::is_whitespace) {
        return head.trim_end();
    }
    head.rfind(char::is_whitespace).map_or(head, |end| &head[..end]).trim_end()
}

/// Reports whether a text has a letter, a digit, or another meaningful sign (an emoji, "??").
pub(super) fn says_something(text: &str) -> bool {
    text.chars().any(|c| c.is_alphanumeric() || c == '?' || (!c.is_ascii() && !c.is_whitespace()))
}

pub(super) fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .dfa_size_limit(STATES)
        .build()
        .expect("the patterns are constants and a test compiles them")
}
