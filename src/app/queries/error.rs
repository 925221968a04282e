//! Why a question has no answer.

use super::nearest;
use crate::ports::{EmbedError, IndexError, KnowledgeError, StoreError};
use thiserror::Error;

/// Converts a query error to a problem.
#[derive(Debug, Error)]
pub enum QueryError {
    /// There is no such thing.
    #[error("there is no {what} `{id}`")]
    NotFound {
        /// The kind of object, e.g. `feedback`.
        what: &'static str,
        /// The line's id.
        id: String,
        /// The most similar ids, at most three.
        nearest: Vec<String>,
    },
    /// Its file in the store cannot be read because of a manual edit.
    #[error("{path} cannot be read: {message}")]
    Unreadable {
        /// The file.
        path: String,
        /// The reason.
        message: String,
    },
    /// A text without known words cannot be compared.
    #[error("the text has no word that could be compared")]
    NoWords,
    /// Counts a store failure.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The embedder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Similar comments could not be found.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
}

/// Builds a not-found error with the ids most similar to the requested one.
pub fn not_found<'a>(what: &'static str, id: &str, ids: impl Iterator<Item = &'a str>) -> QueryError {
    QueryError::NotFound { what, id: id.to_owned(), nearest: nearest::nearest(id, ids) }
}
