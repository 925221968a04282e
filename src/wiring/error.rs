//! Why the application cannot be put together.

use crate::app::admin::reindex::ReindexError;
use crate::app::pipeline::PipelineError;
use crate::config::ConfigError;
use crate::ports::{BusError, CloneError, EmbedError, KnowledgeError, QueueError, StoreError};
use thiserror::Error;

/// Why the application cannot be put together.
#[derive(Debug, Error)]
pub enum WiringError {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedder.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// What finds near remarks.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// Redis.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The pipeline.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// The index.
    #[error(transparent)]
    Reindex(#[from] ReindexError),
    /// What asks the language model.
    #[error("the language model cannot be asked: {0}")]
    Model(String),
    /// A forge whose history is to be read.
    #[error("{0}")]
    Forge(String),
    /// A clone that is to be read.
    #[error(transparent)]
    Clone(#[from] CloneError),
    /// Logging in through a provider.
    #[error("http.oidc: {0}")]
    Oidc(String),
    /// Those who are told.
    #[error("notices: {0}")]
    Notices(String),
    /// What tells a collector of traces.
    #[error("traces: {0}")]
    Traces(String),
    /// The queue of notices.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The key that commits are signed with.
    #[error("commits cannot be signed (store.signing_key_file): {0}")]
    Signing(String),
    /// The state directory.
    #[error("the state directory {path} cannot be made: {source}")]
    State {
        /// Where.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}
