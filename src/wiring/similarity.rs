//! The embedder and the search for nearby vectors, according to the configuration.

use super::error::WiringError;
#[cfg(feature = "minilm")]
use crate::adapters::embedder::TransformerEmbedder;
use crate::adapters::embedder::{CachedEmbedder, ServerEmbedder, ServerOptions, StaticEmbedder};
#[cfg(feature = "usearch")]
use crate::adapters::knowledge::Usearch;
use crate::adapters::knowledge::{Approximate, Chroma, ChromaOptions, ExactScan};
use crate::adapters::model::{address, own_key_header};
use crate::adapters::rest::{RestOptions, RestServer};
use crate::app::comments::analyzer::Analyzer;
#[cfg(not(feature = "minilm"))]
use crate::config::WITHOUT_MINILM;
#[cfg(not(feature = "usearch"))]
use crate::config::WITHOUT_USEARCH;
use crate::config::{Config, EmbedderKind, KnowledgeKind, Secret};
use crate::ports::{EmbedError, Embedder, Knowledge, KnowledgeError};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The maximum size of a response with vectors, in KB of 1024 bytes.
const MAX_ANSWER: usize = 64 << 10;

/// Returns the configured embedder, ready. A server has answered, now or before.
pub(super) fn embedder(config: &Config) -> Result<Arc<dyn Embedder>, WiringError> {
    let (embedder, state) = (&config.embedder, config.state.dir.as_path());
    Ok(match embedder.kind {
        EmbedderKind::Static if embedder.path == Path::new("") => Arc::new(StaticEmbedder::embedded()?),
        EmbedderKind::Static => Arc::new(StaticEmbedder::from_folder(&embedder.path)?),
        #[cfg(feature = "minilm")]
        EmbedderKind::Transformer => {
            let model = TransformerEmbedder::from_folder(&embedder.path)?;
            Arc::new(CachedEmbedder::new(Box::new(model), state))
        }
        #[cfg(not(feature = "minilm"))]
        EmbedderKind::Transformer => return Err(EmbedError(WITHOUT_MINILM.to_owned()).into()),
        EmbedderKind::Server => {
            let (url, path) = address(&embedder.url, "embeddings");
            let key_header = own_key_header(&embedder.url).map_or(("authorization", "Bearer "), |header| (header, ""));
            let rest = RestServer::start(RestOptions {
                url,
                key: embedder.api_key()?.map(|key: Secret| (key_header.0, key_header.1, key)),
                headers: &[],
                timeout: Duration::from_secs(embedder.timeout_seconds),
                max_answer: MAX_ANSWER,
                use_environment_proxy: embedder.use_environment_proxy,
                fields: &[],
            });
            let rest = rest.map_err(|e| EmbedError(format!("the embeddings server: {e}")))?;
            let options = ServerOptions {
                model: embedder.model.clone(),
                dimensions: (embedder.dimensions > 0).then_some(embedder.dimensions),
                batch: embedder.batch,
                path,
            };
            Arc::new(CachedEmbedder::new(Box::new(ServerEmbedder::connect(Box::new(rest), options, state)?), state))
        }
    })
}

/// Returns the search for nearby comments for a store's writer. Nothing is contacted yet.
pub(super) fn knowledge(
    config: &Config,
    understanding: &Analyzer,
    store: &str,
) -> Result<Box<dyn Knowledge>, WiringError> {
    let knowledge = &config.knowledge;
    let axes = understanding.catalogue().concerns().len();
    Ok(match knowledge.kind {
        KnowledgeKind::Exact | KnowledgeKind::Usearch => in_memory(config, understanding)?,
        KnowledgeKind::Chroma => {
            let rest = RestServer::start(RestOptions {
                url: knowledge.url.clone(),
                key: knowledge.api_key()?.map(|key: Secret| ("x-chroma-token", "", key)),
                headers: &[],
                timeout: Duration::from_secs(knowledge.timeout_seconds),
                max_answer: MAX_ANSWER,
                use_environment_proxy: knowledge.use_environment_proxy,
                fields: &[],
            });
            let rest = rest.map_err(|e| KnowledgeError(format!("Chroma: {e}")))?;
            let options = ChromaOptions {
                tenant: knowledge.tenant.clone(),
                database: knowledge.database.clone(),
                collection: knowledge.collection.clone(),
                owner: store.to_owned(),
                axes,
                batch: knowledge.batch,
            };
            Box::new(Approximate::new(Chroma::new(Box::new(rest), options)))
        }
    })
}

/// Returns the search for nearby comments for temporary use: a server's collection belongs to one store.
#[cfg_attr(not(feature = "usearch"), allow(unused_variables, reason = "only the in-memory index needs its axes"))]
pub(super) fn in_memory(config: &Config, understanding: &Analyzer) -> Result<Box<dyn Knowledge>, WiringError> {
    Ok(match config.knowledge.kind {
        #[cfg(feature = "usearch")]
        KnowledgeKind::Usearch => {
            let axes = understanding.catalogue().concerns().len();
            Box::new(Approximate::new(Usearch::new(axes)))
        }
        #[cfg(not(feature = "usearch"))]
        KnowledgeKind::Usearch => return Err(KnowledgeError(WITHOUT_USEARCH.to_owned()).into()),
        KnowledgeKind::Exact | KnowledgeKind::Chroma => Box::new(ExactScan::default()),
    })
}
