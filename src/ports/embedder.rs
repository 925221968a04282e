//! Text into vectors.

use crate::text::language::similarity::Embedding;
use thiserror::Error;

/// No vectors could be made. It may pass; try again later.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the embedder fails: {0}")]
pub struct EmbedError(pub String);

/// Turns text into vectors. Deterministic: the same text gives the same vector for the life of a store.
pub trait Embedder: Send + Sync {
    /// One vector of unit length per text; `None` where the text has no known word.
    fn embed(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError>;

    /// As [`Embedder::embed`], for texts that are the same at every start. Where vectors are dear, they are kept.
    fn embed_lasting(&self, texts: &[String]) -> Result<Vec<Option<Embedding>>, EmbedError> {
        self.embed(texts)
    }

    /// These texts are asked for one by one soon. Where many at once are cheaper, their vectors are made now.
    fn prepare(&self, _texts: &mut dyn Iterator<Item = String>) -> Result<(), EmbedError> {
        Ok(())
    }

    /// Name and version; a change means that derived vectors must be made again.
    fn id(&self) -> &str;
}
