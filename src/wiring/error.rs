//! Errors in assembling the application.

use crate::app::admin::reindex::ReindexError;
use crate::app::pipeline::PipelineError;
use crate::config::ConfigError;
use crate::ports::{BusError, CloneError, EmbedError, KnowledgeError, QueueError, RemoteError, StoreError};
use thiserror::Error;

/// Why the application cannot be assembled.
#[derive(Debug, Error)]
pub enum WiringError {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Returns the embedder.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The search for nearby comments.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The Git host.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// Redis.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The pipeline.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// The index.
    #[error(transparent)]
    Reindex(#[from] ReindexError),
    /// The language model client.
    #[error("the language model is unavailable: {0}")]
    Model(String),
    /// A forge whose history is read.
    #[error("{0}")]
    Forge(String),
    /// A clone to read.
    #[error(transparent)]
    Clone(#[from] CloneError),
    /// Logging in through a provider.
    #[error("http.oidc: {0}")]
    Oidc(String),
    /// Notification endpoints.
    #[error("notices: {0}")]
    Notices(String),
    /// The trace exporter.
    #[error("traces: {0}")]
    Traces(String),
    /// The notification queue.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The key that signs commits.
    #[error("commits cannot be signed (store.signing_key_file): {0}")]
    Signing(String),
    /// The state directory.
    #[error("the state directory {path} cannot be created: {source}")]
    State {
        /// The path.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
}
