//! What texts are compared by: the axes of the concerns that are likely, and of their words where those tell more.

use super::{Compiled, RECOGNISED};
use crate::language::catalogue::features::word_features;
use crate::language::catalogue::recognition::ConcernReading;
use crate::language::similarity::DemandVector;
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::BTreeMap;

/// How many words a text has at least of which the same again ask for the same.
const TELLING_WORDS: usize = 4;
/// From which probability on a concern alone tells what a remark demands, and its words nothing.
const CLEAR: f32 = 0.45;
/// From which probability on a concern is one of those that a remark is compared by.
const LIKELY: f32 = 0.1;
/// The same of a sentence that says what a remark demands.
const LIKELY_IN_SENTENCE: f32 = 0.2;
/// From which probability on people may be asked about a concern, and about how many beside those that are likely.
const POSSIBLE: f32 = 0.015;
const ALSO: usize = 16;
/// What concerns, and the stems of words, count in a sentence that says what a remark demands.
const OF_SENTENCE: f32 = 0.54;
const STEMS_OF_SENTENCE: f32 = 0.6;
/// How much longer the words' part is where they alone tell what is demanded: of two remarks of which no concern is known and
/// whose words have a cosine of 0.6 four of five ask for the same, which is less than the concerns' part needs.
const WORDS_ALONE: f32 = 1.15;
/// The words that a remark is compared by at most: those that say most.
const COMPARED_WORDS: usize = 24;
/// A vector is a little shorter than 1, for its components are rounded.
const ROOM_TO_ROUND: f32 = 0.9995;

impl Compiled {
    /// What a text demands, as it is compared with others: by the concerns that are likely, and by its words where none is
    /// likely enough, or where it waives something. Two that are likely to be about the same concern are near however they
    /// word it; where no concern is known, only the same rare words tell.
    pub fn vector(&self, text: &str, reading: &ConcernReading) -> DemandVector {
        let mut axes = likely(reading, LIKELY);
        let unknown = (1.0 - axes.iter().map(|(_, weight)| weight * weight).sum::<f32>()).max(0.0).sqrt();
        let best = reading.profile.first().map_or(0.0, |(_, p)| *p);
        if reading.on_code && best < CLEAR {
            // There the same words are said of different things: “could be removed?”. So they only raise questions.
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

    /// The same of a sentence in which somebody who understood a remark says what it demands: both its concerns and its
    /// words tell.
    pub fn vector_of_sentence(&self, sentence: &str, reading: &ConcernReading) -> DemandVector {
        let share = OF_SENTENCE.sqrt();
        let concerns = likely(reading, LIKELY_IN_SENTENCE).into_iter().map(|(axis, weight)| (axis, weight * share));
        let stems = axes_of(self.stems(sentence), STEMS_OF_SENTENCE.sqrt());
        DemandVector::new(&concerns.chain(stems).collect::<Vec<_>>())
    }

    /// The stems of a sentence's words, each by its feature, and how much each says. A model words what it read soberly, so
    /// frequent words say more there than in remarks, and their endings nothing.
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

    /// The axes of the words that say most, together of this length.
    fn word_axes(&self, text: &str, length: f32) -> Vec<(u16, f32)> {
        axes_of(self.said(text), length)
    }

    /// The words of a text, each by its feature, and how much each says.
    fn said(&self, text: &str) -> Vec<(u32, f32)> {
        match self.trained {
            Some(trained) => trained.telling_words(text),
            None => word_features(text),
        }
    }
}

/// The axes of those features that say most, together of this length.
fn axes_of(mut features: Vec<(u32, f32)>, length: f32) -> Vec<(u16, f32)> {
    features.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    features.truncate(COMPARED_WORDS);
    let norm = features.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt().max(1e-9);
    features.into_iter().map(|(hash, weight)| (axis_of(hash), weight / norm * length * ROOM_TO_ROUND)).collect()
}

/// The axis of a whole text, which only texts of the same words share; none where it has too few to tell.
fn whole(text: &str) -> Option<u16> {
    let words = word_features(text);
    let hash = words.iter().fold(17_u32, |hash, (word, _)| hash.wrapping_mul(31).wrapping_add(*word));
    (words.len() >= TELLING_WORDS).then(|| axis_of(hash))
}

/// The axis of a word, or of a text.
fn axis_of(hash: u32) -> u16 {
    DemandVector::WORDS + (hash % u32::from(u16::MAX - DemandVector::WORDS)) as u16
}

/// The axes of the concerns that a remark is compared by, so weighed that the product of two is how likely both are to voice
/// the same.
fn likely(reading: &ConcernReading, from: f32) -> Vec<(u16, f32)> {
    let likely = reading.profile.iter().filter(|(_, p)| *p >= from);
    likely.map(|(axis, p)| (*axis, p.min(0.999).sqrt())).collect()
}

/// The axes of the concerns that are possible, yet not likely, with their probabilities.
fn possible(reading: &ConcernReading) -> Vec<(u16, f32)> {
    reading.profile.iter().copied().filter(|(_, p)| (POSSIBLE..LIKELY).contains(p)).take(ALSO).collect()
}
