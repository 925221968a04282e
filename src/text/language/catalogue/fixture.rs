//! A small catalogue, compiled for tests: only texts that share words are similar.

use super::compiled::CompiledCatalogue;
use super::concern::Catalogue;
use crate::language::similarity::Embedding;
use std::convert::Infallible;

/// Embeds texts with one of 32 dimensions per word.
pub fn embed(texts: &[String]) -> Result<Vec<Option<Embedding>>, Infallible> {
    let one = |text: &String| {
        let mut vector = [0.0_f32; 32];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
            vector[usize::from(blake3::hash(word.as_bytes()).as_bytes()[0] % 32)] += 1.0;
        }
        Embedding::from_f32(&vector)
    };
    Ok(texts.iter().map(one).collect())
}

/// Compiles a catalogue for [`embed`].
pub fn compiled(catalogue: Catalogue) -> CompiledCatalogue {
    let Ok(compiled) = CompiledCatalogue::new(catalogue, None, None, "words", &embed);
    compiled
}
