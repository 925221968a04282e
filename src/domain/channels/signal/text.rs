//! Text as read by the detectors: bounded, without terminal codes; and the part of it that is the author's own prose.
//!
//! Makes no decisions. Text left out is left out for every detector alike.

use regex::Regex;
use std::sync::LazyLock;

/// Bytes read from the beginning.
const HEAD: usize = 40_000;
/// Bytes read from the end: reports end with what counts.
const TAIL: usize = 80_000;
/// Bytes read of a line: minified files and dumps have endless lines.
const LINE: usize = 2_000;
/// Bytes of a comment read as prose.
const PROSE: usize = 8_000;

/// Returns the head and the tail of a text, without terminal codes and control characters, with straight quotes and
/// `\n`.
pub(super) fn clean(text: &str) -> String {
    if text.len() <= HEAD + TAIL {
        return strip(text);
    }
    format!("{}\n[...]\n{}", strip(head(text, HEAD)), strip(tail(text, TAIL)))
}

/// Iterates over the lines of a clean text; very long lines are truncated.
pub(super) fn lines(clean: &str) -> impl Iterator<Item = &str> {
    clean.split('\n').map(|line| head(line, LINE).trim_end())
}

/// Returns a person's own words: code, quotations of others and quoted phrases become a single `\u{1}` each.
pub(super) fn prose(text: &str) -> String {
    static MASKED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?s)```.*?(?:```|$)|`[^`\n]{1,200}`|"[^"\n]{3,300}"|(?m:^[ \t]*>.*$)|https?://\S+"#)
            .expect("a constant")
    });
    let clean = strip(head(text, PROSE));
    let own = MASKED.replace_all(&clean, "\u{1}");
    let said = own.chars().any(char::is_alphabetic);
    // A comment that is only a quotation stands for the quotation.
    if said { own.into_owned() } else { clean }
}

/// Returns at most `max` bytes from the beginning, cut between characters.
pub(super) fn head(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns at most `max` bytes from the end, cut between characters.
pub(super) fn tail(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut start = text.len() - max;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Removes escape sequences (ECMA-48: CSI, OSC, two-character ones) and other controls.
fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
                Some(']') => {
                    while let Some(c) = chars.next() {
                        if c == '\u{7}' || (c == '\u{1b}' && chars.next().is_some()) {
                            break;
                        }
                    }
                }
                _ => {}
            },
            '\u{9b}' => while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\u{2018}' | '\u{2019}' => out.push('\''),
            '\u{201c}' | '\u{201d}' => out.push('"'),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
