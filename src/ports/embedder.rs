//! Conversion of text to vectors.

use crate::text::language::similarity::Embedding;
use thiserror::Error;

/// Vectors could not be computed. It may be temporary; try again later.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the embedder failed: {0}")]
pub struct EmbedError(pub String);

/// Converts text to vectors. Deterministic: the same text gives the same vector for the life of a store.
pub trait Embedder: Send + Sync {
    /// Returns one unit vector per text; `None` if the text has no known word.
    fn embed(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError>;

    /// Like [`Embedder::embed`], for texts that are the same at every start. If vectors are expensive, they are cached.
    fn embed_lasting(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        self.embed(texts)
    }

    /// Announces texts that will be requested one by one soon. If batches are cheaper, computes their vectors now.
    fn prepare(&self, _texts: &mut dyn Iterator<Item = String>) -> Result<(), EmbedError> {
        Ok(())
    }

    /// Returns name and version; a change means that derived vectors must be recomputed.
    fn id(&self) -> &str;
}
