//! An exchange as named features for the linear model: cues, what the response asked for, combinations of both, new
//! values, and words. Rationales show the names.

use super::parsed::ExchangeReading;
use super::patterns;
use super::text::{is_common, value};

/// Weight of a word relative to a cue: there are many words.
const WORD: f32 = 0.4;

/// Maximum number of words checked individually.
const WORDS: usize = 40;

impl ExchangeReading {
    /// Returns the number of values in the text that the response lacks, and whether any is repeated.
    fn values(&self) -> (usize, bool) {
        let (own, known) = (self.text.values(), self.response.values());
        let words: std::collections::BTreeSet<&str> = self.response.words.iter().map(String::as_str).collect();
        let fresh = own.iter().filter(|value| !known.contains(*value) && !words.contains(value.as_str())).count();
        (fresh, fresh < own.len())
    }

    /// Returns the features. Deterministic; several hundred at most.
    pub fn features(&self) -> Vec<(String, f32)> {
        let mut features = Vec::with_capacity(160);
        let before = self.before.name();
        features.push((format!("after {before}"), 1.0));
        let mut flags: Vec<String> = self.cues.iter().map(|cue| (*cue).to_owned()).collect();
        flags.extend(patterns::steps(self).into_iter().map(|step| format!("step: {step}")));
        // "Never mind, it works now": a solved problem was not abandoned.
        if self.has("gives up") && (self.has("fixed now") || self.has("thanks")) {
            flags.push("solved, not given up".to_owned());
        }
        let (fresh, repeated) = self.values();
        flags.push(if fresh > 0 { "a new value" } else { "no new value" }.to_owned());
        if repeated {
            flags.push("repeats a value".to_owned());
        }
        if let Some(share) = self.shared_with_response() {
            flags.push(format!("words of the response: {share}"));
        }
        flags.push(length(self.text.words.len()).to_owned());
        if self.text.lower.trim_end().ends_with('?') {
            flags.push("ends with a question".to_owned());
        }
        for flag in &flags {
            features.push((flag.clone(), 1.0));
            features.push((format!("{flag} | after {before}"), 1.0));
        }
        for pair in pairs(&self.cues) {
            features.push((pair, 0.7));
        }
        let question = self.response.lower.trim_end().ends_with('?');
        features.push((if question { "response asks" } else { "response states" }.to_owned(), 0.7));
        self.words(&mut features);
        features
    }

    fn words(&self, features: &mut Vec<(String, f32)>) {
        let names = self.text.names();
        let words: Vec<&str> = self
            .text
            .words
            .iter()
            .take(WORDS)
            .map(|word| value(word).unwrap_or(if names.contains(word) { "<name>" } else { word }))
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        for word in &words {
            if !matches!(*word, "the" | "a" | "an") && seen.insert((*word).to_owned()) {
                features.push((format!("word: {word}"), WORD));
            }
        }
        for pair in words.windows(2) {
            let name = format!("words: {} {}", pair[0], pair[1]);
            if seen.insert(name.clone()) {
                features.push((name, WORD));
            }
        }
        if let Some(first) = words.first() {
            features.push((format!("first word: {first} | after {}", self.before.name()), WORD));
        }
        // How the response begins and ends, in words that are not values.
        let names = self.response.names();
        let said: Vec<&str> = self
            .response
            .words
            .iter()
            .map(|word| value(word).unwrap_or(if names.contains(word) { "<name>" } else { word }))
            .collect();
        for pair in said.windows(2).take(3) {
            features.push((format!("response begins: {} {}", pair[0], pair[1]), WORD));
        }
        for pair in said.windows(2).rev().take(5) {
            features.push((format!("response ends: {} {}", pair[0], pair[1]), WORD));
        }
    }

    /// Returns how many of the text's content words the response shares.
    fn shared_with_response(&self) -> Option<&'static str> {
        let known: std::collections::BTreeSet<&str> = self.response.words.iter().map(String::as_str).collect();
        let own: Vec<&String> =
            self.text.words.iter().take(WORDS).filter(|word| word.len() > 3 && !is_common(word)).collect();
        if known.is_empty() || own.is_empty() {
            return None;
        }
        let shared = own.iter().filter(|word| known.contains(word.as_str())).count();
        Some(match shared * 3 / own.len() {
            0 if shared == 0 => "none",
            0 => "few",
            1 | 2 => "some",
            _ => "all",
        })
    }
}

/// Returns the strongest cue combinations: "begins with yes" and "changes a detail" is a correction.
fn pairs(cues: &[&str]) -> Vec<String> {
    let mut pairs = Vec::new();
    for (at, one) in cues.iter().enumerate().take(12) {
        for other in cues.iter().take(12).skip(at + 1) {
            pairs.push(format!("{one} + {other}"));
        }
    }
    pairs
}

fn length(words: usize) -> &'static str {
    match words {
        0..=2 => "one or two words",
        3..=6 => "a few words",
        7..=14 => "a sentence",
        _ => "many words",
    }
}
