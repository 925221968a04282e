//! Near vectors, found among many.

use crate::domain::clusters::MemberKey;
use crate::text::language::similarity::DemandVector;
use thiserror::Error;

/// Near vectors could not be found, or not be kept. It may pass; try again later.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the knowledge store fails: {0}")]
pub struct KnowledgeError(pub String);

/// A vector, and whose it is.
#[derive(Clone, Debug)]
pub struct NearVector {
    /// Among which others it is looked for: a tenant's agent, and a direction.
    pub scope: String,
    /// The remark.
    pub key: MemberKey,
    /// Its vector.
    pub vector: DemandVector,
}

/// Finds near vectors. Keys rise from one [`Knowledge::add`] to the next.
///
/// It holds what is durable. The vectors of a batch in hand are compared beside it, and added once the batch is recorded.
pub trait Knowledge: Send {
    /// Adds vectors, and makes sure that they can be found. After an error they count as added: where they cannot be found
    /// later, a search says so.
    fn add(&mut self, vectors: &[NearVector]) -> Result<(), KnowledgeError>;

    /// The keys of a scope whose raw cosine with the vector is at least `min_cosine`, best first, ties by key; at
    /// most `limit`.
    fn nearest(
        &self,
        scope: &str,
        vector: &DemandVector,
        min_cosine: f64,
        limit: usize,
    ) -> Result<Vec<(MemberKey, f64)>, KnowledgeError>;

    /// How many keys of a scope have exactly this vector. Not all are kept: a text that many repeat adds nothing.
    fn repeats(&self, scope: &str, vector: &DemandVector) -> usize;

    /// Forgets everything.
    fn clear(&mut self);
}
