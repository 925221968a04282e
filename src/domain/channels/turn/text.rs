//! Texts as the judge reads them: bounded, in lower case, with straight apostrophes; their words and values.

use std::collections::BTreeSet;

/// Characters read from the beginning and from the end of a text. What is in between is pasted or prose.
const HEAD: usize = 1_500;

const TAIL: usize = 700;

/// A text prepared for analysis.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    /// Bounded, with single spaces and straight apostrophes, in the original case.
    pub plain: String,
    /// `plain` in lower case.
    pub lower: String,
    /// Words of `lower`: letters, digits, apostrophes inside. Punctuation is not a word.
    pub words: Vec<String>,
}

impl Text {
    pub fn new(text: &str) -> Self {
        let plain = bounded(text);
        let lower = plain.to_lowercase();
        let words = lower
            .split(|one: char| !(one.is_alphanumeric() || one == '\''))
            .map(|word| word.trim_matches('\''))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        Self { plain, lower, words }
    }

    /// Returns the last sentence in lower case; the whole text if there is only one.
    pub fn last_sentence(&self) -> &str {
        let trimmed = self.lower.trim_end_matches(|one: char| !one.is_alphanumeric());
        // "Dr. Keller" and "4.5" do not end a sentence: a space must follow, and more than two letters must precede.
        let mut start = 0;
        for (at, _) in trimmed.match_indices(['.', '?', '!']) {
            let before = trimmed[..at].rsplit(' ').next().unwrap_or_default();
            let after = &trimmed[at + 1..];
            if after.starts_with(' ') && (before.chars().count() > 2 || before.chars().all(|one| one.is_ascii_digit()))
            {
                start = at + 2;
            }
        }
        self.lower.get(start..).unwrap_or(&self.lower)
    }

    /// Returns the values: numbers, days, months, times of the day, and names (capitalised words inside a sentence).
    pub fn values(&self) -> BTreeSet<String> {
        let mut values: BTreeSet<String> = self
            .words
            .iter()
            .filter_map(|word| value(word).map(|kind| if kind == "<n>" { digits(word) } else { word.clone() }))
            .collect();
        values.extend(self.names());
        values
    }

    /// Returns the capitalised words that do not begin a sentence, in lower case. "I" is excluded.
    pub fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut begins = true;
        for token in self.plain.split(' ') {
            let word = token.trim_matches(|one: char| !one.is_alphanumeric());
            let capital = word.chars().next().is_some_and(char::is_uppercase);
            if capital && !begins && word.chars().count() > 1 && !word.starts_with("I'") {
                names.insert(word.to_lowercase());
            }
            begins = token.ends_with(['.', '?', '!', ':']);
        }
        names
    }
}

/// Returns the kind of value that a word is: `<n>`, `<day>`, `<month>` or `<when>`.
pub(crate) fn value(word: &str) -> Option<&'static str> {
    if word.starts_with(|one: char| one.is_ascii_digit()) {
        return Some("<n>");
    }
    Some(match word {
        "one" | "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten" | "eleven"
        | "twelve" => "<n>",
        "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" => "<day>",
        "january" | "february" | "march" | "april" | "june" | "july" | "august" | "september" | "october"
        | "november" | "december" => "<month>",
        "today" | "tomorrow" | "tonight" | "noon" | "midnight" | "morning" | "evening" | "afternoon" | "weekend" => {
            "<when>"
        }
        _ => return None,
    })
}

/// Returns a number word as digits, so that "two" is "2"; an ordinal loses its ending.
fn digits(word: &str) -> String {
    const NAMES: [&str; 12] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    if let Some(at) = NAMES.iter().position(|name| *name == word) {
        return (at + 1).to_string();
    }
    word.trim_end_matches(|one: char| one.is_ascii_alphabetic()).to_owned()
}

fn bounded(text: &str) -> String {
    let head: String;
    let kept = match text.char_indices().nth(HEAD) {
        Some((cut, _)) => {
            let end = text.char_indices().rev().nth(TAIL).map_or(text.len(), |(at, _)| at).max(cut);
            head = format!("{} {}", &text[..cut], &text[end..]);
            head.as_str()
        }
        None => text,
    };
    let mut plain = String::with_capacity(kept.len());
    for word in kept.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.extend(
            word.chars().map(|one| if matches!(one, '\u{2019}' | '\u{2018}' | '`' | '\u{b4}') { '\'' } else { one }),
        );
    }
    plain
}

/// Returns a user's words as stored in records: one line, at most 500 characters.
pub(super) fn said(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if let Some((cut, _)) = line.char_indices().nth(499) {
            line.truncate(cut);
            line.push('…');
            break;
        }
    }
    line
}

/// Reports whether a word says nothing about a subject.
pub(crate) fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// Sorted.
const COMMON: &[&str] = &[
    "about",
    "actually",
    "after",
    "again",
    "also",
    "another",
    "anything",
    "because",
    "been",
    "before",
    "being",
    "between",
    "book",
    "can't",
    "could",
    "did",
    "does",
    "doesn't",
    "doing",
    "don't",
    "each",
    "else",
    "even",
    "every",
    "find",
    "from",
    "give",
    "going",
    "good",
    "great",
    "have",
    "having",
    "help",
    "here",
    "i'll",
    "into",
    "it's",
    "just",
    "know",
    "like",
    "look",
    "looking",
    "made",
    "make",
    "many",
    "maybe",
    "mean",
    "more",
    "most",
    "much",
    "must",
    "need",
    "okay",
    "only",
    "other",
    "over",
    "please",
    "right",
    "same",
    "shall",
    "should",
    "show",
    "some",
    "something",
    "such",
    "sure",
    "take",
    "tell",
    "than",
    "thank",
    "thanks",
    "that",
    "that's",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "time",
    "very",
    "want",
    "well",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "will",
    "with",
    "would",
    "you're",
    "your",
];

#[cfg(test)]
#[test]
fn common_words_are_sorted() {
    assert!(COMMON.is_sorted());
}
