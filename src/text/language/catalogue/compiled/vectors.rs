//! Comparison vectors: the axes of the likely concerns, and of the words if those are more informative.

use super::{CompiledCatalogue, RECOGNISED};
use crate::language::catalogue::features::word_features;
use crate::language::catalogue::recognition::ConcernReading;
use crate::language::similarity::DemandVector;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::BTreeMap;

/// Minimum number of words from which equal texts ask for the same.
const TELLING_WORDS: usize = 4;
/// Probability from which a concern alone determines a comment's demand, and its words nothing.
const CLEAR: f32 = 0.45;
/// Probability from which a concern is used for comparison.
const LIKELY: f32 = 0.1;
/// The same for a sentence that states a comment's demand.
const LIKELY_IN_SENTENCE: f32 = 0.2;
/// Probability from which people may be asked about a concern, and the maximum number of these besides the likely ones.
const POSSIBLE: f32 = 0.015;
const ALSO: usize = 16;
/// Weight of concerns, and of word stems, in a sentence that states a comment's demand.
const OF_SENTENCE: f32 = 0.54;
const STEMS_OF_SENTENCE: f32 = 0.6;
/// Factor for the words' part if they alone determine the demand: of two comments without a known concern and with a
/// word cosine of 0.6, four of five ask for the same, which is less than the concerns' part needs.
const WORDS_ALONE: f32 = 1.15;
/// Maximum number of words a comment is compared by: the most informative ones.
const COMPARED_WORDS: usize = 24;
/// Vectors are slightly shorter than 1, because their components are rounded.
const ROOM_TO_ROUND: f32 = 0.9995;

impl CompiledCatalogue {
    /// Returns the comparison vector of a text's demand. It is built from the text's likely concerns, and from its words
    /// if no concern is likely enough or the text waives something. Two demands about the same concern are near each
    /// other, however they are worded; without a known concern, only shared rare words count.
    pub fn vector(&self, text: &str, reading: &ConcernReading) -> DemandVector {
        let mut axes = likely(reading, LIKELY);
        let unknown = (1.0 - axes.iter().map(|(_, weight)| weight * weight).sum::<f32>()).max(0.0).sqrt();
        let best = reading.profile.first().map_or(0.0, |(_, p)| *p);
        if reading.on_code && best < CLEAR {
            // Here, the same words are used of different things: “could be removed?”. So they only raise questions.
            let words = self.word_axes(text, 1.0).into_iter().map(|(axis, weight)| (axis, weight * weight));
            let faint: Vec<(u16, f32)> = possible(reading).into_iter().chain(words).collect();
            return DemandVector::new(&axes).with_faint(&faint);
        }
        if reading.waived || best < RECOGNISED {
            axes.extend(self.word_axes(text, unknown * WORDS_ALONE));
        } else if best < CLEAR {
            axes.extend(self.word_axes(text, unknown));
        } else {
            axes.extend(whole(text).map(|axis| (axis, unknown * ROOM_TO_ROUND)));
        }
        let vector = DemandVector::new(&axes);
        vector.with_faint(&possible(reading))
    }

    /// The same for a sentence, written with an understanding of a comment, that states its demand: both its concerns
    /// and its words count.
    pub fn vector_of_sentence(&self, sentence: &str, reading: &ConcernReading) -> DemandVector {
        let share = OF_SENTENCE.sqrt();
        let concerns = likely(reading, LIKELY_IN_SENTENCE).into_iter().map(|(axis, weight)| (axis, weight * share));
        let stems = axes_of(self.stems(sentence), STEMS_OF_SENTENCE.sqrt());
        DemandVector::new(&concerns.chain(stems).collect::<Vec<_>>())
    }

    /// Returns the stems of a sentence's words, each by its feature, and their weights. A model uses plain wording, so
    /// frequent words say more there than in comments, and their endings nothing.
    fn stems(&self, sentence: &str) -> Vec<(u32, f32)> {
        let stemmer = Stemmer::create(Algorithm::English);
        let lower = sentence.to_lowercase();
        let mut stems: BTreeMap<u32, f32> = BTreeMap::new();
        for word in lower.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let stem = stemmer.stem(word);
            for ((_, weight), (stem, _)) in self.said(word).into_iter().zip(word_features(&stem)) {
                let said = stems.entry(stem).or_default();
                *said = said.max(weight.sqrt());
            }
        }
        stems.into_iter().collect()
    }

    /// Returns the axes of the most informative words, with this total length.
    fn word_axes(&self, text: &str, length: f32) -> Vec<(u16, f32)> {
        axes_of(self.said(text), length)
    }

    /// Returns the words of a text, each by its feature, and their weights.
    fn said(&self, text: &str) -> Vec<(u32, f32)> {
        match self.trained {
            Some(trained) => trained.telling_words(text),
            None => word_features(text),
        }
    }
}

/// Returns the axes of the most informative features, with this total length.
fn axes_of(mut features: Vec<(u32, f32)>, length: f32) -> Vec<(u16, f32)> {
    features.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    features.truncate(COMPARED_WORDS);
    let norm = features.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt().max(1e-9);
    features.into_iter().map(|(hash, weight)| (axis_of(hash), weight / norm * length * ROOM_TO_ROUND)).collect()
}

/// Returns the axis of a whole text, shared only by texts of the same words; `None` if there are too few.
fn whole(text: &str) -> Option<u16> {
    let words = word_features(text);
    let hash = words.iter().fold(17_u32, |hash, (word, _)| hash.wrapping_mul(31).wrapping_add(*word));
    (words.len() >= TELLING_WORDS).then(|| axis_of(hash))
}

/// Returns the axis of a word or a text.
fn axis_of(hash: u32) -> u16 {
    DemandVector::WORDS + (hash % u32::from(u16::MAX - DemandVector::WORDS)) as u16
}

/// Returns the axes of the concerns used for comparison, weighted so that the product of two is the probability that
/// both voice the same.
fn likely(reading: &ConcernReading, from: f32) -> Vec<(u16, f32)> {
    let likely = reading.profile.iter().filter(|(_, p)| *p >= from);
    likely.map(|(axis, p)| (*axis, p.min(0.999).sqrt())).collect()
}

/// Returns the axes of the possible but not likely concerns, with their probabilities.
fn possible(reading: &ConcernReading) -> Vec<(u16, f32)> {
    reading.profile.iter().copied().filter(|(_, p)| (POSSIBLE..LIKELY).contains(p)).take(ALSO).collect()
}
