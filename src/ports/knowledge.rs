//! Search for nearby vectors among many.

use crate::domain::clusters::MemberKey;
use crate::text::language::similarity::DemandVector;
use thiserror::Error;

/// Nearby vectors could not be found, or not be stored. It may be temporary; try again later.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the knowledge store failed: {0}")]
pub struct KnowledgeError(pub String);

/// A vector and its owner.
#[derive(Clone, Debug)]
pub struct NearVector {
    /// The scope of its search: a tenant's agent, and a direction.
    pub scope: String,
    /// The comment.
    pub key: MemberKey,
    /// Its vector.
    pub vector: DemandVector,
}

/// Finds nearby vectors. Keys increase from one [`Knowledge::add`] to the next.
///
/// It holds durable vectors. Those of the current batch are compared separately, and added once the batch is recorded.
pub trait Knowledge: Send {
    /// Adds vectors and ensures that they can be found. After an error they count as added: if they cannot be found
    /// later, a search returns an error.
    fn add(&mut self, vectors: &[NearVector]) -> Result<(), KnowledgeError>;

    /// Returns the keys of a scope whose raw cosine with the vector is at least `min_cosine`, best first, ties by key;
    /// at most `limit`.
    fn nearest(
        &self,
        scope: &str,
        vector: &DemandVector,
        min_cosine: f64,
        limit: usize,
    ) -> Result<Vec<(MemberKey, f64)>, KnowledgeError>;

    /// Counts the keys of a scope with exactly this vector. Not all are stored: frequent repetition of a text adds
    /// nothing.
    fn repeats(&self, scope: &str, vector: &DemandVector) -> usize;

    /// Removes everything.
    fn clear(&mut self);
}
