//! Why a question has no answer.

use super::nearest;
use crate::ports::{EmbedError, IndexError, KnowledgeError, StoreError};
use thiserror::Error;

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum QueryError {
    /// There is no such thing.
    #[error("there is no {what} `{id}`")]
    NotFound {
        /// What was looked for, e.g. `feedback`.
        what: &'static str,
        /// Its id.
        id: String,
        /// The ids that look most like it; at most three.
        nearest: Vec<String>,
    },
    /// Its file in the store cannot be read; somebody edited it.
    #[error("{path} cannot be read: {message}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        message: String,
    },
    /// Nothing can be compared with a text without known words.
    #[error("the text has no word that could be compared")]
    NoWords,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The embedder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Near remarks could not be found.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
}

/// That there is no such thing, with the ids that look most like the one that was asked.
pub fn not_found<'a>(what: &'static str, id: &str, ids: impl Iterator<Item = &'a str>) -> QueryError {
    QueryError::NotFound { what, id: id.to_owned(), nearest: nearest::nearest(id, ids) }
}
