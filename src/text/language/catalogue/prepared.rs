//! What is costly to work out of a catalogue, worked out before: the vectors of its phrasings, and its vocabulary.
//!
//! Nothing depends on it but the time of a start: what does not fit the catalogue or the embedder is worked out anew.

use super::letters::Letters;
use super::lexicon::Lexicon;
use crate::language::similarity::Embedding;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What makes vectors of texts, one for each.
pub type Embed<'a, E> = dyn Fn(&[String]) -> Result<Vec<Option<Embedding>>, E> + 'a;

/// What the texts of a catalogue are made of.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Vocabulary {
    pub(super) lexicon: Lexicon,
    pub(super) letters: Letters,
}

impl Vocabulary {
    /// That of concerns, each given as its phrasings.
    pub(super) fn new<'t, I: ExactSizeIterator<Item = &'t [String]>>(concerns: impl Fn() -> I) -> Vocabulary {
        Vocabulary { lexicon: Lexicon::new(concerns()), letters: Letters::new(concerns()) }
    }
}

/// Vectors of phrasings in 8-bit fixed point, and the vocabulary of the catalogue they are from.
#[derive(Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// The embedder of the vectors.
    embedder: String,
    /// [`super::Catalogue::fingerprint`] of the catalogue behind the vocabulary.
    fingerprint: String,
    vocabulary: Vocabulary,
    /// Fingerprints of the phrasings, in the order of the matrix.
    texts: Vec<u64>,
    width: usize,
    /// Vectors, one after the other, 127 for 1.
    matrix: Vec<i8>,
}

impl Prepared {
    /// Keeps what was worked out.
    pub(super) fn new(
        embedder: &str,
        fingerprint: &str,
        vocabulary: Vocabulary,
        texts: &[String],
        matrix: Matrix,
    ) -> Prepared {
        Prepared {
            embedder: embedder.to_owned(),
            fingerprint: fingerprint.to_owned(),
            vocabulary,
            texts: texts.iter().map(|text| hash(text)).collect(),
            width: matrix.width,
            matrix: matrix.values,
        }
    }

    /// As bytes, the same for the same content.
    ///
    /// # Errors
    /// Never, as far as is known; a sentence all the same.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        postcard::to_stdvec(self).map_err(|e| e.to_string())
    }

    /// Reads what [`Prepared::to_bytes`] wrote. `None` where it is something else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Prepared> {
        postcard::from_bytes(bytes).ok().filter(|p: &Prepared| p.matrix.len() == p.texts.len() * p.width)
    }

    /// Whether it is what this embedder and this catalogue need, so that nothing has to be worked out.
    pub fn fits(&self, embedder: &str, fingerprint: &str) -> bool {
        self.embedder == embedder && self.fingerprint == fingerprint
    }

    /// The vectors of an embedder that are known, and the vocabulary where it is that of the catalogue.
    pub(super) fn take(self, embedder: &str, fingerprint: &str) -> (Known, Option<Vocabulary>) {
        let fits = self.fingerprint == fingerprint;
        if self.embedder != embedder {
            return (Known::default(), fits.then_some(self.vocabulary));
        }
        let place = self.texts.iter().enumerate().map(|(place, text)| (*text, place)).collect();
        (Known { place, width: self.width, matrix: self.matrix }, fits.then_some(self.vocabulary))
    }
}

/// Vectors by text.
#[derive(Debug, Default)]
pub(super) struct Known {
    place: HashMap<u64, usize>,
    width: usize,
    matrix: Vec<i8>,
}

impl Known {
    fn row(&self, text: &str) -> Option<&[i8]> {
        let place = *self.place.get(&hash(text))?;
        self.matrix.get(place * self.width..(place + 1) * self.width)
    }
}

/// Vectors in 8-bit fixed point, one after the other.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    pub(super) width: usize,
    pub(super) values: Vec<i8>,
}

impl Matrix {
    /// The vectors of texts: those that are known, and the others from the embedder.
    pub(super) fn of<E>(texts: &[String], known: &Known, embed: &Embed<'_, E>) -> Result<Matrix, E> {
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
            // A text without a vector is near to nothing.
            values.resize((at + 1) * width, 0);
        }
        Ok(Matrix { width, values })
    }
}

fn hash(text: &str) -> u64 {
    let bytes = *blake3::hash(text.as_bytes()).as_bytes();
    u64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
}
