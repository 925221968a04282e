//! Near vectors, found among many.

use crate::domain::language::similarity::Embedding;
use thiserror::Error;

/// Near vectors could not be found, or not be kept. It may pass; try again later.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the knowledge store fails: {0}")]
pub struct KnowledgeError(pub String);

/// Finds near vectors. Keys are the caller's, and rise from one [`Knowledge::add`] to the next.
///
/// A failure is kept until [`Knowledge::settle`] is asked; until then nothing is found. Whoever makes something durable
/// asks before.
pub trait Knowledge: Send {
    /// Whether everything that was added can be found, and everything that was found since this was last asked was right.
    /// After an error the caller clears it and adds everything anew.
    fn settle(&mut self) -> Result<(), KnowledgeError> {
        Ok(())
    }

    /// Adds a vector to a scope (a tenant's agent, and a direction).
    fn add(&mut self, scope: &str, key: u32, vector: &Embedding);

    /// The keys of a scope whose raw cosine with the vector is at least `min_cosine`, best first, ties by key; at
    /// most `limit`.
    fn nearest(&self, scope: &str, vector: &Embedding, min_cosine: f64, limit: usize) -> Vec<(u32, f64)>;

    /// As [`Knowledge::nearest`], among keys from `since` on: what came after an earlier search.
    fn nearest_since(
        &self,
        scope: &str,
        since: u32,
        vector: &Embedding,
        min_cosine: f64,
        limit: usize,
    ) -> Vec<(u32, f64)>;

    /// Forgets everything.
    fn clear(&mut self);
}
