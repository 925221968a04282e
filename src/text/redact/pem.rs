//! Private keys between `BEGIN` and `END` lines, even if one of them is cut off, and inside a diff.

use super::secret::{MARK, Secret};
use regex::Regex;
use std::sync::LazyLock;

/// The kind of secret.
pub(super) const KIND: &str = "private-key";

/// Upper bound of a key's length, in bytes; an `END` line further away belongs to something else.
const MAX_KEY: usize = 16 * 1024;

static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"-----(?P<what>BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----").expect("a constant pattern")
});

/// Returns the private keys in a text, in order and without overlaps.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let markers: Vec<(bool, usize, usize)> = MARKER
        .captures_iter(text)
        .filter_map(|c| Some((&c["what"] == "BEGIN", c.get(0)?.start(), c.get(0)?.end())))
        .collect();
    let mut found: Vec<Secret> = Vec::new();
    let mut index = 0;
    while let Some(&(begins, start, end)) = markers.get(index) {
        index += 1;
        let floor = found.last().map_or(0, |s| s.end);
        let secret = match markers.get(index) {
            Some(&(false, next, close)) if begins && next - end <= MAX_KEY && !text[end..next].contains(MARK) => {
                index += 1;
                (start, close)
            }
            next if begins => {
                let ceiling = next.map_or(text.len(), |n| n.1);
                (start, end + body_after(&text[end..ceiling]))
            }
            _ => (floor + body_before(&text[floor..start]), end),
        };
        found.push(Secret { start: secret.0, end: secret.1, kind: KIND });
    }
    found
}

/// Returns how many bytes after a `BEGIN` line look like a key: lines of base64, their diff signs, and header lines.
pub(super) fn body_after(text: &str) -> usize {
    let mut end = 0;
    for word in words(&text[..floor_boundary(text, MAX_KEY)]) {
        let header = ["Proc-Type:", "4,ENCRYPTED", "DEK-Info:"].contains(&word.1) || word.1.contains("-CBC,");
        if !(is_body(word.1) || header || matches!(word.1, "+" | "-" | "\\n")) {
            break;
        }
        end = word.0 + word.1.len();
    }
    end
}

/// Returns the start of the key whose `END` line follows the text.
fn body_before(text: &str) -> usize {
    let from = ceil_boundary(text, text.len().saturating_sub(MAX_KEY));
    let mut start = text.len();
    let words: Vec<(usize, &str)> = words(&text[from..]).collect();
    for (at, word) in words.into_iter().rev() {
        // The last line of a key may be short; a diff sign may be alone on a line.
        let fits = is_body(word) || (start == text.len() && word.ends_with('=')) || matches!(word, "+" | "-" | "\\n");
        if !fits {
            break;
        }
        start = from + at;
    }
    start
}

fn is_body(word: &str) -> bool {
    let word = word.trim_start_matches(['+', '-']);
    word.len() >= 16 && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\\'))
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split_ascii_whitespace().map(move |word| (word.as_ptr() as usize - base, word))
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

fn ceil_boundary(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len())
}
