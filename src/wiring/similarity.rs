//! What makes vectors, as the configuration says.

use super::WiringError;
use crate::adapters::embedder::StaticEmbedder;
use crate::config::Config;
use crate::ports::Embedder;
use std::path::Path;
use std::sync::Arc;

/// The configured embedder, ready.
pub(super) fn embedder(config: &Config) -> Result<Arc<dyn Embedder>, WiringError> {
    let folder = &config.embedder.path;
    let embedded = folder == Path::new("");
    Ok(Arc::new(if embedded { StaticEmbedder::embedded()? } else { StaticEmbedder::from_folder(folder)? }))
}
