//! Which words indicate which concern: tf-idf over the words and word pairs of the phrasings.

use super::tf_idf::{Weights, weigh};
use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Words that are irrelevant to a demand.
const STOP: &str = "a an the is are was were be been being of to in on at for and or but it its this that these those i \
    we you he she they my our your their with by as if so do does did done have has had will would can could should may \
    might must shall there here what which who whom how when where why please just also very too then than into some one \
    us them im ive id well let lets get got";

/// The vocabulary of a catalogue, with the weight of each word for each concern.
#[derive(Debug, Serialize, Deserialize)]
pub struct Lexicon {
    #[serde(skip)]
    stemmer: Words,
    /// The weights of a word: its inverse document frequency, and the concerns it indicates.
    words: HashMap<String, Word>,
    /// The weight of a word that occurs in no concern.
    unknown: f32,
}

#[derive(Debug, Serialize, Deserialize)]
struct Word {
    idf: f32,
    concerns: Weights,
}

impl Lexicon {
    /// Counts the words of concerns, each given as its phrasings.
    pub fn new<'t>(concerns: impl ExactSizeIterator<Item = &'t [String]>) -> Lexicon {
        let stemmer = Words::default();
        let count = concerns.len() as f32;
        let idf = |having: usize| ((1.0 + count) / (1.0 + having as f32)).ln();
        let features = |phrasing: &str| {
            let mut features = stemmer.features(phrasing);
            features.sort_unstable();
            features.dedup();
            features
        };
        let weighed = weigh(concerns, features, idf).into_iter();
        let words = weighed.map(|(word, concerns)| (word, Word { idf: idf(concerns.len()), concerns })).collect();
        Lexicon { stemmer, words, unknown: (1.0 + count).ln() }
    }

    /// Returns the number of concerns that have a word.
    pub fn spread(&self, word: &str) -> usize {
        let features = self.stemmer.features(word);
        features.first().and_then(|stem| self.words.get(stem)).map_or(0, |word| word.concerns.len())
    }

    /// Adds the word score of a text to each concern's score: the cosine of the two, 0 to 1.
    pub fn score(&self, text: &str, scores: &mut [f32]) {
        let mut counts: BTreeMap<String, f32> = BTreeMap::new();
        self.stemmer.features(text).into_iter().for_each(|f| *counts.entry(f).or_default() += 1.0);
        let mut found: Vec<(f32, &Word)> = Vec::with_capacity(counts.len());
        let mut square = 0.0;
        for (feature, n) in counts {
            let word = self.words.get(&feature);
            // An unknown word pair weighs less than an unknown word: most pairs are unknown.
            let rare = if feature.contains('_') { 0.3 } else { 1.0 };
            let weight = (1.0 + n.ln()) * word.map_or(self.unknown * rare, |w| w.idf);
            square += weight * weight;
            found.extend(word.map(|word| (weight, word)));
        }
        let length = square.sqrt().max(1e-9);
        for (weight, word) in found {
            for (concern, w) in &word.concerns {
                scores[*concern as usize] += weight / length * w;
            }
        }
    }
}

/// Splits text into stemmed words and pairs of them.
struct Words {
    stemmer: Stemmer,
    stop: std::collections::HashSet<&'static str>,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").finish_non_exhaustive()
    }
}

impl Default for Words {
    fn default() -> Words {
        Words { stemmer: Stemmer::create(Algorithm::English), stop: STOP.split_whitespace().collect() }
    }
}

impl Words {
    fn features(&self, text: &str) -> Vec<String> {
        let lower = text.to_lowercase();
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '#' | '\'');
        let mut stems: Vec<String> = Vec::new();
        for word in lower.split(|c| !part(c)) {
            let word = word.trim_matches('\'');
            let word = word.strip_suffix("'s").unwrap_or(word);
            if word.ends_with("n't") {
                stems.push("not".to_owned());
            } else if !(self.stop.contains(word)
                || (word.len() < 2 && !word.bytes().all(|b| b.is_ascii_digit()))
                || word.is_empty())
            {
                stems.push(self.stemmer.stem(word).into_owned());
            }
        }
        let pairs: Vec<String> = stems.windows(2).map(|pair| format!("{}_{}", pair[0], pair[1])).collect();
        stems.extend(pairs);
        stems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_words_speak_for_a_concern() {
        let phrasings = [
            vec!["add an index on this column".to_owned(), "the query scans the whole table".to_owned()],
            vec!["tests are missing".to_owned(), "no test covers this".to_owned()],
        ];
        let lexicon = Lexicon::new(phrasings.iter().map(Vec::as_slice));
        let mut scores = [0.0; 2];
        lexicon.score("which index covers the column", &mut scores);
        assert!(scores[0] > scores[1] && scores[1] > 0.0, "{scores:?}");
        let mut nothing = [0.0; 2];
        lexicon.score("zebra", &mut nothing);
        assert_eq!(nothing, [0.0; 2]);
    }

    #[test]
    fn a_denial_is_a_word() {
        assert_eq!(Words::default().features("It doesn't work's"), ["not", "work", "not_work"]);
    }
}
