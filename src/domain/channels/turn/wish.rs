//! What a correction asks for, in the user's own words: "not this, that". Nothing is inferred: if the words do not
//! state a wish, there is none.

use super::before::Before;
use super::exchange::Exchange;
use super::parsed::ExchangeReading;
use super::text::{is_common, said};
use super::verdict::{CorrectionType, FeedbackResult, FeedbackType};
use regex::Regex;
use std::sync::LazyLock;

/// What is wanted, and what is not, if stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Correction {
    pub wanted: String,
    pub unwanted: Option<String>,
}

impl Correction {
    /// Parses a correction: "No, I meant gaming laptops not business laptops".
    pub fn read(text: &str) -> Option<Self> {
        let line: String = said(text).chars().take(300).collect();
        if let Some(found) = INSTEAD.captures(&line) {
            return Self::new(&found["wanted"], found.name("unwanted").map(|one| one.as_str()));
        }
        let found = MEANT.captures(&line)?;
        Self::new(&found["wanted"], found.name("unwanted").map(|one| one.as_str()))
    }

    fn new(wanted: &str, unwanted: Option<&str>) -> Option<Self> {
        let wanted = phrase(wanted)?;
        Some(Self { wanted, unwanted: unwanted.and_then(phrase) })
    }

    /// Returns the wanted words, capitalising those that the unwanted ones lack: "GAMING laptops".
    pub fn stressed(&self) -> String {
        let Some(unwanted) = &self.unwanted else { return self.wanted.clone() };
        let other: Vec<String> = unwanted.split(' ').map(str::to_lowercase).collect();
        let words = self.wanted.split(' ').map(|word| {
            let plain = word.to_lowercase();
            if other.contains(&plain) || is_common(&plain) || plain.len() < 3 {
                word.to_owned()
            } else {
                word.to_uppercase()
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns the noun that both phrases share: "laptops".
    pub fn head(&self) -> Option<&str> {
        let last = self.wanted.split(' ').next_back()?;
        let other = self.unwanted.as_deref()?.split(' ').next_back()?;
        (last.eq_ignore_ascii_case(other) && self.wanted.contains(' ')).then_some(last)
    }

    /// Returns an earlier search query with the wish applied; `None` if the query does not name what is to change.
    pub fn adjusted(&self, query: &str) -> Option<String> {
        if query.to_lowercase().contains(&self.wanted.to_lowercase()) {
            return None;
        }
        let last = self.wanted.split(' ').next_back()?;
        let old =
            [self.unwanted.as_deref(), Some(last)].into_iter().flatten().find_map(|old| find_words(query, old))?;
        Some(format!("{}{}{}", &query[..old.start], self.wanted, &query[old.end..]))
    }
}

/// Returns a rejected turn's correction as a comment that the evaluator can learn from. `None` if nothing is asked for:
/// a bare "no", giving up, a repeated question, or a booking detail that the user changes when asked to confirm it
/// ("No, make it 8 pm" teaches nothing about the agent).
pub fn demand(exchange: &Exchange, result: &FeedbackResult) -> Option<String> {
    if result.feedback_type != FeedbackType::Rejected || result.correction_type != Some(CorrectionType::Explicit) {
        return None;
    }
    let reading = ExchangeReading::new(exchange);
    if reading.before == Before::Confirmation && !reading.has("says what was meant") && !reading.has("blames") {
        return None;
    }
    let rest = EMPTY.replace_all(&reading.text.lower, " ");
    let content = rest.split(|one: char| !(one.is_alphanumeric() || one == '\'')).any(|word| {
        word.chars().count() > 2
            && !is_common(word)
            && !["not", "the", "you", "was", "are", "for", "but", "its", "did"].contains(&word)
    });
    content.then(|| said(&exchange.text))
}

/// Bounds a phrase and strips articles, politeness and punctuation from its ends.
fn phrase(text: &str) -> Option<String> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    while words.first().is_some_and(|word| {
        ["a", "an", "the", "about", "for", "some", "any", "to", "see"].contains(&word.to_lowercase().as_str())
    }) {
        words.remove(0);
    }
    while words
        .last()
        .is_some_and(|word| ["please", "instead", "though", "thanks"].contains(&word.to_lowercase().as_str()))
    {
        words.pop();
    }
    let text = words.join(" ");
    let text = text.trim_matches(|one: char| !(one.is_alphanumeric() || matches!(one, '$' | '+' | '#')));
    // A sentence is not a phrase: past eight words, it is unclear where the wish ends.
    (!text.is_empty()
        && words.len() <= 8
        && !["that", "it", "this", "what", "them"].contains(&text.to_lowercase().as_str()))
    .then(|| text.to_owned())
}

/// Finds whole words in a text, case-insensitively. ASCII only, so that positions remain valid.
fn find_words(text: &str, words: &str) -> Option<std::ops::Range<usize>> {
    let (lower, wanted) = (text.to_ascii_lowercase(), words.to_ascii_lowercase());
    let start = lower.find(&wanted)?;
    let end = start + wanted.len();
    let edge = |one: Option<char>| one.is_none_or(|one| !one.is_alphanumeric());
    (edge(lower[..start].chars().next_back()) && edge(lower[end..].chars().next())).then_some(start..end)
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant")
}

/// "X instead of Y".
static INSTEAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:i (?:meant|want(?:ed)?|need(?:ed)?|asked (?:for|about)|said)|i'd like|give me|show me|use) (?P<wanted>[^.,;!?]+?) (?:instead of|rather than) (?P<unwanted>[^.,;!?]+)",
    )
});

/// "I meant X, not Y" and "I meant X".
static MEANT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bi (?:\w+ )?(?:meant|mean|want(?:ed)?|need(?:ed)?|asked (?:for|about)|said|was (?:asking|looking) (?:for|about)) (?P<wanted>[^.,;!?]+?)(?:,? (?:and )?not (?P<unwanted>[^.,;!?]+)|[.,;!?]|$)",
    )
});

/// Words of complaints that ask for nothing.
static EMPTY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:no|nope|nah|not|wrong|incorrect|false|actually|sorry|wait|try (?:it |that )?(?:once )?again|again|once more|retry|that(?:'s| is|s)|this is|it(?:'s| is)|what (?:are you talking about|do you mean|does that mean)|(?:makes?|made) (?:no|any) sense|(?:does|did)(?:n'?t| not) (?:help|work|make (?:any )?sense)|(?:not |un)?help(?:ful)?|use(?:ful|less)|what i (?:asked(?: for)?|meant|wanted|need(?:ed)?|said)|you (?:completely )?(?:mis(?:understood|read)|got it wrong)|what|huh|undo|revert|restore|terrible|bad answer|awful|nonsense|garbage|off topic|don'?t (?:like|understand)|stop|at all|answer|question|change|last|listening|even|seriously|ugh|correct|true|still|same|broken|working|worse|one)\b",
    )
});
