//! Which n-grams indicate which concern: tf-idf over all five-character n-grams of the phrasings.
//!
//! They capture what words miss: inflections, compounds, typos, and short phrases across word boundaries.

use super::tf_idf::weigh;
use serde::{Deserialize, Serialize};

/// Characters per n-gram.
const LENGTH: usize = 5;
/// Significant bits of each character in an n-gram. Characters that share them rarely occur together.
const BITS: u32 = 12;
/// The value of 1 in the unit of the stored weights.
const ONE: f32 = 255.0;

/// The n-grams of a catalogue's phrasings, with their weight for each concern.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Letters {
    /// The number of concerns.
    count: usize,
    /// The n-grams, sorted.
    runs: Vec<u64>,
    /// The end of each n-gram's concerns in `concerns`, where the next one's begin.
    ends: Vec<u32>,
    concerns: Vec<u16>,
    /// Weights, relative to the largest.
    weights: Vec<u8>,
    heaviest: f32,
}

impl Letters {
    /// Counts the n-grams of concerns, each given as its phrasings.
    pub fn new<'t>(concerns: impl ExactSizeIterator<Item = &'t [String]>) -> Letters {
        let count = concerns.len();
        let features = |phrasing: &str| runs(phrasing).into_iter().map(|(run, _)| run).collect();
        let uses = weigh(concerns, features, |having| rareness(count, having));
        let heaviest = uses.values().flatten().map(|(_, weight)| *weight).fold(1e-9, f32::max);
        let mut letters = Letters { count, heaviest, ..Letters::default() };
        for (run, used) in uses {
            letters.runs.push(run);
            for (concern, weight) in used {
                letters.concerns.push(concern);
                letters.weights.push((weight / heaviest * ONE).round() as u8);
            }
            letters.ends.push(u32::try_from(letters.concerns.len()).unwrap_or(u32::MAX));
        }
        letters
    }

    /// Adds the n-gram score of a text to each concern's score: the cosine of the two, 0 to 1.
    pub fn score(&self, text: &str, scores: &mut [f32]) {
        let mut found: Vec<(f32, std::ops::Range<usize>)> = Vec::new();
        let mut square = 0.0;
        for (run, n) in runs(text) {
            let Ok(at) = self.runs.binary_search(&run) else { continue };
            let begin = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
            let range = begin..self.ends[at] as usize;
            let weight = (1.0 + n.ln()) * rareness(self.count, range.len());
            square += weight * weight;
            found.push((weight, range));
        }
        let unit = self.heaviest / ONE / square.sqrt().max(1e-9);
        for (weight, range) in found {
            for (concern, w) in self.concerns[range.clone()].iter().zip(&self.weights[range]) {
                scores[usize::from(*concern)] += weight * unit * f32::from(*w);
            }
        }
    }
}

/// Returns the weight of an n-gram by the number of concerns that have it.
fn rareness(count: usize, having: usize) -> f32 {
    ((1.0 + count as f32) / (1.0 + having as f32)).ln() + 1.0
}

/// Returns the sorted n-grams of a text with their counts. Anything but letters and digits is a space.
fn runs(text: &str) -> Vec<(u64, f32)> {
    const MASK: u64 = (1 << (BITS * LENGTH as u32)) - 1;
    let mut runs: Vec<u64> = Vec::with_capacity(text.len());
    let (mut run, mut length) = (0_u64, 0);
    let mut push = |c: char| {
        run = (run << BITS | u64::from(u32::from(c) & ((1 << BITS) - 1))) & MASK;
        length += 1;
        if length >= LENGTH {
            runs.push(run);
        }
    };
    let lower = text.to_lowercase();
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '#');
    push(' ');
    for word in lower.split(|c| !part(c)).filter(|word| !word.is_empty()) {
        word.chars().for_each(&mut push);
        push(' ');
    }
    runs.sort_unstable();
    runs.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(text: &str) -> [f32; 2] {
        let phrasings = [
            vec!["add an index on this column".to_owned(), "the query scans the whole table".to_owned()],
            vec!["tests are missing".to_owned(), "no test covers this".to_owned()],
        ];
        let mut scores = [0.0; 2];
        Letters::new(phrasings.iter().map(Vec::as_slice)).score(text, &mut scores);
        scores
    }

    #[test]
    fn an_inflected_or_mistyped_word_speaks_for_a_concern() {
        for text in ["indexing of columnes", "queries scaning the table"] {
            let [index, tests] = scores(text);
            assert!(index > 3.0 * tests && index > 0.1, "{text}: {index} {tests}");
        }
        assert_eq!(scores("zebra"), [0.0; 2]);
        assert_eq!(scores("ab"), [0.0; 2]);
        assert_eq!(scores(""), [0.0; 2]);
    }

    #[test]
    fn a_phrasing_is_nearest_to_its_own_concern() {
        let [index, tests] = scores("TESTS are -- missing!");
        assert!(tests > 0.5 && tests <= 1.001 && tests > 3.0 * index, "{index} {tests}");
    }

    #[test]
    fn punctuation_is_space_and_letters_of_all_scripts_count() {
        assert_eq!(runs("a,b"), runs(" A  b "));
        assert_eq!(runs("エラー処理").len(), 3);
        assert!(runs("x").is_empty());
    }
}
