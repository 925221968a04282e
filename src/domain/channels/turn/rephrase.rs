//! Whether the second query repeats the first in other words (specification, "Turns: Rephrasing").
//!
//! Similarity alone is not enough: "flights to Rome on Monday" and "... on Tuesday" are nearer than most rephrasings. A
//! changed number, date, name or negation is a new question. Otherwise one logistic model weighs the caller's
//! similarity with the words, so that the confidence is a probability.

use super::text::{Text, is_common};
use super::verdict::Cue;
use crate::text::language::linear::Model;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Probability from which a pair counts as rephrased: about nine of ten such pairs are.
const REPHRASED_FROM: f64 = 0.77;
/// Maximum number of words considered.
const WORDS: usize = 120;

static MODEL: LazyLock<Model> =
    LazyLock::new(|| Model::parse(include_str!("rephrase.tsv")).expect("a committed table"));

/// Whether a query repeats the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct Rephrase {
    /// Whether it does.
    pub is: bool,
    /// Calibrated probability that it does, 0 to 1.
    pub confidence: f64,
    /// The evidence for or against it, strongest first.
    pub cues: Vec<Cue>,
}

/// Compares two queries. `similarity` is the calibrated similarity of their vectors, 0 to 1, if available.
pub fn rephrased(previous: &str, text: &str, similarity: Option<f64>) -> Rephrase {
    let pair = Pair::new(previous, text);
    if let Some(change) = pair.changed() {
        return Rephrase { is: false, confidence: 0.05, cues: vec![Cue { cue: change.to_owned(), weight: 1.0 }] };
    }
    if pair.own.is_empty() || pair.other.is_empty() {
        return Rephrase { is: false, confidence: 0.05, cues: Vec::new() };
    }
    let prediction = MODEL.predict(&pair.features(similarity));
    let confidence = (prediction.probability("rephrased") * 10_000.0).round() / 10_000.0;
    let cues =
        prediction.cues.iter().map(|(cue, weight)| Cue { cue: cue.clone(), weight: (weight * 100.0).round() / 100.0 });
    Rephrase { is: confidence >= REPHRASED_FROM, confidence, cues: cues.collect() }
}

/// Returns the features of a pair of queries, for training. `None` if a guard decides before the model.
pub fn rephrase_features(previous: &str, text: &str, similarity: Option<f64>) -> Option<Vec<(String, f32)>> {
    let pair = Pair::new(previous, text);
    pair.changed().is_none().then(|| pair.features(similarity))
}

struct Pair {
    previous: Text,
    text: Text,
    /// Stems of content words.
    other: BTreeSet<String>,
    own: BTreeSet<String>,
}

impl Pair {
    fn new(previous: &str, text: &str) -> Self {
        let (previous, text) = (Text::new(previous), Text::new(text));
        Self { other: stems(&previous), own: stems(&text), previous, text }
    }

    /// Returns a detail that the second query changed: both name one, and they differ.
    fn changed(&self) -> Option<&'static str> {
        let (before, now) = (self.previous.values(), self.text.values());
        let (old_names, new_names) = (self.previous.names(), self.text.names());
        let old_words: BTreeSet<&str> = self.previous.words.iter().map(String::as_str).collect();
        let new_words: BTreeSet<&str> = self.text.words.iter().map(String::as_str).collect();
        let gone = |set: &BTreeSet<String>, words: &BTreeSet<&str>, kept: &BTreeSet<String>| {
            set.iter().any(|one| !words.contains(one.as_str()) && !kept.contains(one))
        };
        let plain = |values: &BTreeSet<String>, names: &BTreeSet<String>| -> BTreeSet<String> {
            values.difference(names).cloned().collect()
        };
        let (old_plain, new_plain) = (plain(&before, &old_names), plain(&now, &new_names));
        if gone(&old_plain, &new_words, &now) && gone(&new_plain, &old_words, &before) {
            return Some("another number or date");
        }
        if gone(&old_names, &new_words, &now) && gone(&new_names, &old_words, &before) {
            return Some("another name");
        }
        if self.other == self.own && negated(&self.previous) != negated(&self.text) {
            return Some("a negation more or less");
        }
        let flips = |one: &str, two: &str| {
            old_words.contains(one) && !old_words.contains(two) && new_words.contains(two) && !new_words.contains(one)
        };
        if OPPOSITES.iter().any(|(one, two)| flips(one, two) || flips(two, one)) {
            return Some("the opposite");
        }
        if let (Some(old), Some(new)) = (asked_for(&self.previous), asked_for(&self.text))
            && old != new
        {
            return Some("asks for something else");
        }
        if self.names_what_was_found() {
            return Some("speaks of what was found");
        }
        None
    }

    /// Detects "Find me a hotel" followed by "the address of this hotel".
    fn names_what_was_found(&self) -> bool {
        let points = |text: &Text| {
            text.words.windows(2).take(WORDS).any(|two| {
                matches!(two[0].as_str(), "this" | "that" | "these" | "those")
                    && self.previous.words.iter().any(|word| same_noun(word, &two[1]))
            })
        };
        points(&self.text) && !points(&self.previous)
    }

    fn features(&self, similarity: Option<f64>) -> Vec<(String, f32)> {
        let shared = self.own.intersection(&self.other).count() as f32;
        let union = self.own.union(&self.other).count().max(1) as f32;
        let smaller = self.own.len().min(self.other.len()).max(1) as f32;
        let (words, letters) = (shared / union, trigrams_shared(&self.previous.lower, &self.text.lower));
        let mut features = Vec::with_capacity(24);
        // One table holds two models, with and without a similarity: next to one, words count less.
        let kind = match similarity.filter(|value| value.is_finite()).map(|value| value.clamp(0.0, 1.0) as f32) {
            Some(similar) => {
                features.push(("similarity".to_owned(), similar * 4.0));
                for (at, step) in [0.3_f32, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].iter().enumerate() {
                    if similar >= *step {
                        features.push((format!("similarity from 0.{}", at + 3), 1.0));
                    }
                }
                features.push(("similarity and words".to_owned(), similar * words * 4.0));
                "with similarity"
            }
            None => "words alone",
        };
        let mut add = |name: &str, value: f32| features.push((format!("{name} ({kind})"), value));
        add("constant", 1.0);
        add("shared words", words * 2.0);
        add("shared words of the shorter", shared / smaller * 2.0);
        add("shared letters", letters * 4.0);
        add(if shared == 0.0 { "no word shared" } else { "a word shared" }, 1.0);
        add("words of its own", ((self.own.len() as f32 - shared) / 3.0).min(2.0));
        add("words left out", ((self.other.len() as f32 - shared) / 3.0).min(2.0));
        let (asked, asks) = (question(&self.previous), question(&self.text));
        add(if asked == asks { "same kind of question" } else { "another kind of question" }, 1.0);
        add(if negated(&self.previous) == negated(&self.text) { "same polarity" } else { "other polarity" }, 1.0);
        if points_back(&self.previous, &self.text) {
            add("speaks of the answer", 1.0);
        }
        for stem in self.own.symmetric_difference(&self.other) {
            features.push((format!("only one says {stem}"), 0.5));
        }
        for stem in self.own.intersection(&self.other) {
            features.push((format!("both say {stem}"), 0.5));
        }
        features
    }
}

/// Detects "The address of this hotel" or "when does it start" after a query without such a word: it refers to the
/// answer.
pub(crate) fn points_back(previous: &Text, text: &Text) -> bool {
    let points = |text: &Text| text.words.iter().any(|word| POINTERS.contains(&word.as_str()));
    points(text) && !points(previous)
}

/// Words that refer to the answer.
const POINTERS: [&str; 11] = ["this", "that", "it", "its", "it's", "they", "them", "their", "these", "those", "there"];

/// Returns the stems of the words that show what a text is about. Only the beginning of a long text counts.
pub fn content_stems(text: &str) -> BTreeSet<String> {
    stems(&Text::new(text))
}

fn stems(text: &Text) -> BTreeSet<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let content =
        text.words.iter().take(WORDS).filter(|word| word.chars().count() > 2 && !is_common(word) && !is_frame(word));
    content.map(|word| stemmer.stem(word).into_owned()).collect()
}

/// Detects words that frame a question.
fn is_frame(word: &str) -> bool {
    [
        "the", "and", "for", "you", "can", "are", "how", "why", "who", "has", "had", "was", "any", "but", "not", "get",
        "let", "yes", "i'm", "i've", "i'd", "its", "our", "way", "use", "may",
    ]
    .contains(&word)
}

fn negated(text: &Text) -> bool {
    text.words.iter().any(|word| {
        matches!(
            word.as_str(),
            "not" | "no" | "never" | "without" | "cannot" | "dont" | "doesnt" | "didnt" | "cant" | "isnt" | "wont"
        ) || word.ends_with("n't")
    })
}

/// Compares nouns regardless of number.
fn same_noun(one: &str, two: &str) -> bool {
    one.chars().count() > 2 && one.trim_end_matches('s') == two.trim_end_matches("'s").trim_end_matches('s')
}

/// Pairs of words that ask for opposites.
const OPPOSITES: &[(&str, &str)] = &[
    ("add", "remove"),
    ("arrive", "depart"),
    ("arrive", "leave"),
    ("ascending", "descending"),
    ("buy", "sell"),
    ("cheap", "expensive"),
    ("cheaper", "expensive"),
    ("create", "delete"),
    ("deposit", "withdraw"),
    ("disable", "enable"),
    ("first", "second"),
    ("go", "leave"),
    ("increase", "decrease"),
    ("increase", "lower"),
    ("inbound", "outbound"),
    ("install", "remove"),
    ("install", "uninstall"),
    ("left", "right"),
    ("lock", "unlock"),
    ("on", "off"),
    ("open", "close"),
    ("start", "stop"),
];

/// Returns what a question asks for: a time, a place, a person, an amount. Other questions can be phrased in many ways.
fn asked_for(text: &Text) -> Option<&'static str> {
    let words: Vec<&str> = text.words.iter().take(8).map(String::as_str).collect();
    if words.windows(2).any(|two| matches!(two, ["how", "much" | "many"])) {
        return Some("amount");
    }
    if words.windows(2).any(|two| matches!(two, ["what", "time" | "date" | "day"])) || words.first() == Some(&"when") {
        return Some("time");
    }
    match words.first() {
        Some(&"where") => Some("place"),
        Some(&"who") => Some("person"),
        _ => None,
    }
}

/// Returns the kind of question, by its first question word.
fn question(text: &Text) -> &str {
    let kinds =
        ["what", "which", "when", "where", "who", "why", "how", "can", "is", "are", "do", "does", "will", "did"];
    text.words.iter().take(8).find_map(|word| kinds.into_iter().find(|kind| kind == word)).unwrap_or("none")
}

/// Returns the share of common letter trigrams (Dice), 0 to 1.
fn trigrams_shared(a: &str, b: &str) -> f32 {
    let grams = |text: &str| -> BTreeSet<[char; 3]> {
        let letters: Vec<char> = text.chars().filter(|one| one.is_alphanumeric() || *one == ' ').take(600).collect();
        letters.windows(3).map(|three| [three[0], three[1], three[2]]).collect()
    };
    let (a, b) = (grams(a), grams(b));
    if a.is_empty() || b.is_empty() {
        0.0
    } else {
        2.0 * a.intersection(&b).count() as f32 / (a.len() + b.len()) as f32
    }
}
