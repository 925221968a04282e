//! Precomputed data that is costly to derive from a catalogue: the vectors of its phrasings, and its vocabulary.
//!
//! It only affects startup time: anything that does not match the catalogue or the embedder is recomputed.

use super::letters::Letters;
use super::lexicon::Lexicon;
use crate::language::similarity::Embedding;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Computes the vectors of texts, one each.
pub type Embed<'a, E> = dyn Fn(&[String]) -> Result<Vec<Option<Embedding>>, E> + 'a;

/// The vocabulary of a catalogue's texts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Vocabulary {
    pub(super) lexicon: Lexicon,
    pub(super) letters: Letters,
}

impl Vocabulary {
    /// Builds it from concerns, each given as its phrasings.
    pub(super) fn new<'t, I: ExactSizeIterator<Item = &'t [String]>>(concerns: impl Fn() -> I) -> Vocabulary {
        Vocabulary { lexicon: Lexicon::new(concerns()), letters: Letters::new(concerns()) }
    }
}

/// Vectors of phrasings in 8-bit fixed point, and the vocabulary of their catalogue.
#[derive(Debug, Serialize, Deserialize)]
pub struct PreparedCatalogue {
    /// The vectors' embedder.
    embedder: String,
    /// [`super::Catalogue::fingerprint`] of the catalogue behind the vocabulary.
    fingerprint: String,
    vocabulary: Vocabulary,
    /// Fingerprints of the phrasings, in the order of the matrix.
    texts: Vec<u64>,
    width: usize,
    /// Consecutive vectors, 127 for 1.
    matrix: Vec<i8>,
}

impl PreparedCatalogue {
    /// Stores the computed data.
    pub(super) fn new(
        embedder: &str,
        fingerprint: &str,
        vocabulary: Vocabulary,
        texts: &[String],
        matrix: Matrix,
    ) -> PreparedCatalogue {
        PreparedCatalogue {
            embedder: embedder.to_owned(),
            fingerprint: fingerprint.to_owned(),
            vocabulary,
            texts: texts.iter().map(|text| hash(text)).collect(),
            width: matrix.width,
            matrix: matrix.values,
        }
    }

    /// Serializes deterministically.
    ///
    /// # Errors
    /// Never, as far as known; a sentence nevertheless.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        postcard::to_stdvec(self).map_err(|e| e.to_string())
    }

    /// Parses what [`PreparedCatalogue::to_bytes`] wrote. `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<PreparedCatalogue> {
        postcard::from_bytes(bytes).ok().filter(|p: &PreparedCatalogue| p.matrix.len() == p.texts.len() * p.width)
    }

    /// Reports whether it matches this embedder and this catalogue, so that nothing needs computing.
    pub fn fits(&self, embedder: &str, fingerprint: &str) -> bool {
        self.embedder == embedder && self.fingerprint == fingerprint
    }

    /// Returns an embedder's known vectors, and the vocabulary if it matches the catalogue.
    pub(super) fn take(self, embedder: &str, fingerprint: &str) -> (VectorsByText, Option<Vocabulary>) {
        let fits = self.fingerprint == fingerprint;
        if self.embedder != embedder {
            return (VectorsByText::default(), fits.then_some(self.vocabulary));
        }
        let place = self.texts.iter().enumerate().map(|(place, text)| (*text, place)).collect();
        (VectorsByText { place, width: self.width, matrix: self.matrix }, fits.then_some(self.vocabulary))
    }
}

/// Vectors by text.
#[derive(Debug, Default)]
pub(super) struct VectorsByText {
    place: HashMap<u64, usize>,
    width: usize,
    matrix: Vec<i8>,
}

impl VectorsByText {
    fn row(&self, text: &str) -> Option<&[i8]> {
        let place = *self.place.get(&hash(text))?;
        self.matrix.get(place * self.width..(place + 1) * self.width)
    }
}

/// Consecutive vectors in 8-bit fixed point.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    pub(super) width: usize,
    pub(super) values: Vec<i8>,
}

impl Matrix {
    /// Returns the vectors of texts: known ones, and the others from the embedder.
    pub(super) fn of<E>(texts: &[String], known: &VectorsByText, embed: &Embed<'_, E>) -> Result<Matrix, E> {
        let missing: Vec<String> = texts.iter().filter(|text| known.row(text).is_none()).cloned().collect();
        let mut embedded = if missing.is_empty() { Vec::new() } else { embed(&missing)? }.into_iter();
        let mut fresh: Vec<Vec<i8>> = Vec::with_capacity(missing.len());
        for _ in &missing {
            let vector = embedded.next().flatten();
            fresh.push(
                vector
                    .map(|v| v.components().iter().map(|v| (f32::from(*v) / 258.0).round() as i8).collect())
                    .unwrap_or_default(),
            );
        }
        let width = fresh.iter().map(Vec::len).max().filter(|width| *width > 0).unwrap_or(known.width);
        let mut fresh = fresh.into_iter();
        let mut values = Vec::with_capacity(texts.len() * width);
        for (at, text) in texts.iter().enumerate() {
            match known.row(text) {
                Some(row) if row.len() == width => values.extend_from_slice(row),
                Some(_) => {}
                None => values.extend(fresh.next().unwrap_or_default()),
            }
            // A text without a vector is near nothing.
            values.resize((at + 1) * width, 0);
        }
        Ok(Matrix { width, values })
    }
}

fn hash(text: &str) -> u64 {
    let bytes = *blake3::hash(text.as_bytes()).as_bytes();
    u64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
}
