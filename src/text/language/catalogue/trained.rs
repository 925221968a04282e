//! The trained reader: which of the concerns that occur in real reviews a comment voices, or whether it demands
//! nothing, something too specific for a rule, or something else.
//!
//! One multinomial logistic regression over words, n-grams, and the embedder's vector (`make train`). Unlike nearness
//! to phrasings it knows what *none of these* looks like, and how frequent each concern is.

use super::concern::{Concern, Work};
use super::features::{Features, word_features};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;

/// The label of comments that demand nothing.
pub const NONE: &str = "none";
/// The label of comments whose demand is too specific for a rule.
pub const PARTICULAR: &str = "particular";
/// The label of comments that demand something else: a concern the reader was not trained on, or an unknown one.
pub const OTHER: &str = "other";

/// Its training files, in `assets/training/remarks/`.
pub const FILES: [&str; 5] = ["code.tsv", "demands.tsv", "documents.tsv", "frequency.tsv", "nothing.tsv"];

/// The weight of the word vector relative to words and n-grams, which have length 1 each.
pub const DENSE: f32 = 1.5;

/// A trained reader. Its parts are produced by training and stored unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainedReader {
    /// [`fingerprint`] of [`FILES`] at training time.
    pub trained_on: u64,
    /// The labels, sorted.
    pub labels: Vec<String>,
    /// For each label, [`fingerprint`] of the phrasings it was trained on; of none for a label that is not a concern.
    pub phrasings: Vec<u64>,
    /// Their start among the concern's phrasings, and their number.
    pub begins: Vec<u32>,
    pub counts: Vec<u32>,
    /// Prior scores of the labels: on code, and on documents.
    pub bias: [Vec<f32>; 2],
    /// The hashes of the features, sorted.
    pub features: Vec<u32>,
    /// The rarity of each feature.
    pub rareness: Vec<f32>,
    /// The value of 1 in weight units, for each feature.
    pub unit: Vec<f32>,
    /// The end of each feature's weights, where the next one's begin.
    pub ends: Vec<u32>,
    /// The label of each weight.
    pub of: Vec<u16>,
    /// The weights.
    pub weights: Vec<i8>,
    /// The weights of each vector component, one row of all labels after another.
    pub dense: Vec<i8>,
    /// The value of 1 in weight units, for each component.
    pub dense_unit: Vec<f32>,
    /// The rarity of the rarest feature, which also applies to unknown words.
    #[serde(skip)]
    pub rarest: f32,
}

/// The classification of a comment, by label: probabilities that sum to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelProbabilities {
    /// It demands nothing.
    pub none: f32,
    /// Its demand is too specific for a rule.
    pub particular: f32,
    /// It demands something that the reader was not trained on.
    pub other: f32,
    /// It voices a concern, by label index; unlikely ones omitted.
    pub concerns: Vec<(usize, f32)>,
}

/// The components of a label's score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreParts {
    /// The prior: how frequent the demand is.
    pub frequency: f32,
    /// From words and word pairs.
    pub words: f32,
    /// From n-grams.
    pub letters: f32,
    /// From the word vector.
    pub vector: f32,
}

/// Probabilities below this are omitted.
const UNLIKELY: f32 = 0.002;

impl TrainedReader {
    /// Parses what [`TrainedReader::to_bytes`] wrote. `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<TrainedReader> {
        let mut trained = postcard::from_bytes(bytes).ok().filter(TrainedReader::is_whole)?;
        trained.rarest = trained.rareness.iter().copied().fold(1.0, f32::max);
        Some(trained)
    }

    /// Serializes deterministically.
    ///
    /// # Errors
    /// Never, as far as known; a sentence nevertheless.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        postcard::to_stdvec(self).map_err(|e| e.to_string())
    }

    fn is_whole(&self) -> bool {
        let (labels, features) = (self.labels.len(), self.features.len());
        self.phrasings.len() == labels
            && self.begins.len() == labels
            && self.counts.len() == labels
            && self.bias.iter().all(|bias| bias.len() == labels)
            && self.rareness.len() == features
            && self.unit.len() == features
            && self.ends.len() == features
            && self.ends.last().is_none_or(|end| *end as usize == self.weights.len())
            && self.of.len() == self.weights.len()
            && self.of.iter().all(|label| usize::from(*label) < labels)
            && self.dense.len() == self.dense_unit.len() * labels
    }

    /// Returns the label's index.
    pub fn place(&self, label: &str) -> Option<usize> {
        self.labels.binary_search_by(|known| known.as_str().cmp(label)).ok()
    }

    /// Reports whether a label is a concern.
    pub fn is_concern(&self, label: usize) -> bool {
        ![NONE, PARTICULAR, OTHER].contains(&self.labels[label].as_str())
    }

    /// Returns which of a concern's phrasings it was trained on; `None` if it was not trained on this concern, or the
    /// phrasings have changed.
    pub fn knows(&self, concern: &Concern) -> Option<Range<usize>> {
        let place = self.place(&concern.id)?;
        let (begin, count) = (self.begins[place] as usize, self.counts[place] as usize);
        let known = begin..begin + count;
        let trained_on = concern.phrasings.get(known.clone())?;
        (count > 0 && fingerprint(trained_on) == self.phrasings[place]).then_some(known)
    }

    /// Returns the score of every label for a text and its word vector of unit length; other lengths are ignored.
    pub fn scores(&self, text: &str, vector: &[i16], work: Option<Work>) -> Vec<f32> {
        let mut scores = self.begin(work);
        for kind in Features::of(text).kinds() {
            self.weights(kind, |label, weight| scores[label] += weight);
        }
        for (row, value) in self.rows(vector) {
            for (score, weight) in scores.iter_mut().zip(row) {
                *score += value * f32::from(*weight);
            }
        }
        scores
    }

    /// Returns the components of a label's score.
    pub fn parts(&self, label: usize, text: &str, vector: &[i16], work: Option<Work>) -> ScoreParts {
        let features = Features::of(text);
        let of = |kind: &[(u32, f32)]| {
            let mut sum = 0.0;
            self.weights(kind, |other, weight| sum += if other == label { weight } else { 0.0 });
            sum
        };
        ScoreParts {
            frequency: self.begin(work)[label],
            words: of(&features.words),
            letters: of(&features.letters),
            vector: self.rows(vector).map(|(row, value)| value * f32::from(row[label])).sum(),
        }
    }

    /// Passes each label's index and its score from the features of a kind.
    fn weights(&self, kind: &[(u32, f32)], mut give: impl FnMut(usize, f32)) {
        let known = kind.iter().filter_map(|(hash, count)| {
            let at = self.features.binary_search(hash).ok()?;
            Some((at, (1.0 + count.ln()) * self.rareness[at]))
        });
        let known: Vec<(usize, f32)> = known.collect();
        let length = known.iter().map(|(_, value)| value * value).sum::<f32>().sqrt().max(1e-9);
        for (at, value) in known {
            let begin = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
            let range = begin..self.ends[at] as usize;
            let value = value / length * self.unit[at];
            for (label, weight) in self.of[range.clone()].iter().zip(&self.weights[range]) {
                give(usize::from(*label), value * f32::from(*weight));
            }
        }
    }

    /// Returns the weights of all labels for each vector component, and the value of 1 there.
    fn rows<'a>(&'a self, vector: &'a [i16]) -> impl Iterator<Item = (&'a [i8], f32)> {
        let vector = if vector.len() == self.dense_unit.len() { vector } else { &[] };
        let rows = self.dense.chunks_exact(self.labels.len().max(1)).zip(&self.dense_unit);
        rows.zip(vector).map(|((row, unit), component)| (row, f32::from(*component) / 32_767.0 * DENSE * unit))
    }

    /// Returns the text's words as pairs of feature and weight, sorted by feature. Rarer words weigh more.
    pub fn telling_words(&self, text: &str) -> Vec<(u32, f32)> {
        let says = |hash: u32| self.features.binary_search(&hash).map_or(self.rarest, |at| self.rareness[at]);
        word_features(text).into_iter().map(|(hash, count)| (hash, (1.0 + count.ln()) * says(hash))).collect()
    }

    /// Reports whether a text is in a language of the training data. Undecidable below three words.
    pub fn is_familiar(&self, text: &str) -> bool {
        let words = word_features(text);
        let known = words.iter().filter(|(hash, _)| self.features.binary_search(hash).is_ok()).count();
        words.len() < 3 || 3 * known >= words.len()
    }

    fn begin(&self, work: Option<Work>) -> Vec<f32> {
        let [code, documents] = &self.bias;
        match work {
            Some(Work::Code | Work::Test | Work::Release) => code.clone(),
            Some(Work::Prd | Work::Design | Work::Plan) => documents.clone(),
            None => code.iter().zip(documents).map(|(a, b)| (a + b) / 2.0).collect(),
        }
    }

    /// Classifies a text. `scores` are those of the labels, adjusted for anything else known; labels with non-finite
    /// scores are excluded.
    pub fn hear(&self, scores: &[f32]) -> LabelProbabilities {
        let best = scores.iter().copied().filter(|s| s.is_finite()).fold(f32::MIN, f32::max);
        let weights: Vec<f32> =
            scores.iter().map(|score| if score.is_finite() { (score - best).exp() } else { 0.0 }).collect();
        let sum: f32 = weights.iter().sum();
        let mut heard = LabelProbabilities::default();
        for (label, weight) in weights.into_iter().enumerate() {
            let probability = weight / sum.max(1e-9);
            match self.labels[label].as_str() {
                NONE => heard.none = probability,
                PARTICULAR => heard.particular = probability,
                OTHER => heard.other = probability,
                _ if probability >= UNLIKELY => heard.concerns.push((label, probability)),
                _ => {}
            }
        }
        heard
    }

    /// Returns how many labels a word indicates: one with many says little about the work at hand.
    pub fn spread(&self, word: &str) -> usize {
        let features = Features::of(word);
        let Some((hash, _)) = features.words.first() else { return 0 };
        let Ok(at) = self.features.binary_search(hash) else { return 0 };
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.weights[begin..self.ends[at] as usize].iter().filter(|weight| **weight > 0).count()
    }
}

/// Computes an order-dependent fingerprint of texts.
pub fn fingerprint(phrasings: &[String]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for phrasing in phrasings {
        hasher.update(phrasing.as_bytes());
        hasher.update(&[0]);
    }
    let bytes = *hasher.finalize().as_bytes();
    u64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
}

/// Returns the label index of each concern.
pub(super) fn places(trained: &TrainedReader, concerns: &[Concern]) -> Vec<Option<usize>> {
    let place: HashMap<&str, usize> =
        trained.labels.iter().enumerate().map(|(at, label)| (label.as_str(), at)).collect();
    let known = |concern: &Concern| trained.knows(concern).and_then(|_| place.get(concern.id.as_str()).copied());
    concerns.iter().map(known).collect()
}
