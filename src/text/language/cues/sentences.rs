//! The sentences of a comment, as seen by cues: without fences, quotes, addresses and prefixes such as `nit:`.

use crate::language::fold;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum sentences read per comment, and maximum length of each, in characters.
const SENTENCES: usize = 20;
const LONGEST: usize = 400;
/// Bytes read of a comment.
const READ: usize = 16_000;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are constants and a test compiles them")
}

static MARKUP: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<!--.*?-->"));
static LINK: LazyLock<Regex> = LazyLock::new(|| regex(r"!?\[([^\]]*)\]\([^)]*\)"));
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| regex(r"https?://\S+"));
/// List items, and prefixes that only rate a comment's importance.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:[-*+•]\s+|\d+[.)]\s+|\[ \]\s*)?",
        r"(?:(?:super|very|tiny|small|minor|mini|micro)?[ -]*",
        r"(?:nit(?:pick(?:ing)?|s)?|minor|optional|style|trivial|suggestion|todo|question)\b",
        r"\s*(?:\([^)]*\)\s*)?[:,.\-–—]+\s*|nit(?:pick)?\s+)?"
    ))
});
/// Full stops that do not end a sentence.
static SHORT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\b(?:e\.g|i\.e|etc|vs|cf|approx|resp)\.$"));

/// Returns the sentences of a comment, at most twenty. Inline code stays in its backticks.
pub fn sentences(comment: &str) -> Vec<String> {
    let end = (0..=READ.min(comment.len())).rev().find(|at| comment.is_char_boundary(*at)).unwrap_or_default();
    let text = outside_fences(&fold::ascii(&comment[..end]).replace('\r', ""));
    let text = MARKUP.replace_all(&text, "");
    let text: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('>')).collect();
    let text = text.join("\n");
    let text = LINK.replace_all(&text, "$1");
    let text = ADDRESS.replace_all(&text, "url");
    let mut found = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        for part in parts(line) {
            let part = HEAD.replace(part.trim(), "");
            let part = part.trim();
            if part.chars().any(|c| c.is_alphanumeric() || c == '_') {
                found.push(part.chars().take(LONGEST).collect());
                if found.len() == SENTENCES {
                    return found;
                }
            }
        }
    }
    found
}

/// Replaces each fenced block of a text with an empty line.
fn outside_fences(text: &str) -> String {
    let mut outside = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find("```") {
        let (before, fenced) = rest.split_at(open);
        let Some(line_end) = fenced.find('\n') else { break };
        outside.push_str(before);
        outside.push('\n');
        rest = fenced[line_end + 1..].find("```").map_or("", |close| &fenced[line_end + 1 + close + 3..]);
    }
    outside.push_str(rest);
    outside
}

/// Splits a line at sentence ends outside backticks.
fn parts(line: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut ticked) = (Vec::new(), 0, false);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        ticked ^= c == '`';
        let ends = matches!(c, '.' | '!' | '?' | ';') && !ticked;
        let followed = chars.peek().is_none_or(|(_, next)| matches!(next, ' ' | '\t'));
        let end = at + c.len_utf8();
        if ends && followed && !SHORT.is_match(&line[begin..end]) {
            parts.push(&line[begin..end]);
            begin = end;
        }
    }
    if !line[begin..].trim().is_empty() {
        parts.push(&line[begin..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_comment_is_taken_apart_into_what_it_says() {
        let comment = "> quoted. text\nnit: could be `a.b()`. Or not? See https://x.org/y.\n\n- (1) e.g. this\n```suggestion\nno. code\n```";
        assert_eq!(sentences(comment), ["could be `a.b()`.", "Or not?", "See url", "(1) e.g. this"]);
        assert_eq!(sentences("Super nit - spacing"), ["spacing"]);
        assert_eq!(sentences("👍 !"), [""; 0]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(```|`|\n|\\. |[-*] |> |nit: |\\PC{0,5}){0,30}") {
            prop_assert!(sentences(&text).len() <= SENTENCES);
        }
    }
}
