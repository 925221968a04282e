//! What texts demand, as the configuration and the store's own catalogue say, and what goes with it.

use super::base_prompts::base_prompts;
use super::error::WiringError;
use super::index::index_files;
use super::similarity;
use super::store::open_store;
use crate::app::comments::analyzer::Understanding;
use crate::app::pipeline::{self, CatalogueFiles, Fit, Fittings};
use crate::config::Config;
use crate::ports::{StoreError, StoreReader};
use crate::text::language::catalogue;
use std::sync::Arc;

/// What texts demand: the embedder, and the catalogue with what the store adds to it as it stands now.
///
/// # Errors
/// When the embedder cannot be loaded.
pub fn understanding(config: &Config) -> Result<Arc<Understanding>, WiringError> {
    // A store that cannot be read is told by whoever opens it.
    let files = catalogue_files(config).unwrap_or_default();
    understanding_of(config, over_shipped(&files).0)
}

/// The shipped catalogue with these files above it, and why some of them are left out. A start has no other catalogue
/// that it could go on with.
pub(super) fn over_shipped(files: &CatalogueFiles) -> (catalogue::Catalogue, Vec<String>) {
    if files.is_empty() {
        return (catalogue::shipped(), Vec::new());
    }
    let layers = catalogue::Layers::over_shipped(files);
    let errors = pipeline::reasons(&layers);
    for error in &errors {
        tracing::error!(error, "a file of the store's catalogue is left out; `feedbackd catalogue lint` says more");
    }
    (layers.catalogue().clone(), errors)
}

/// Gets what goes with another understanding than that of the start.
pub(super) fn fit(config: &Config, store: String) -> Fit {
    let config = config.clone();
    let fittings = move |understanding: &Understanding| -> Result<Fittings, WiringError> {
        Ok(Fittings {
            index: Box::new(index_files(&config, understanding)),
            knowledge: similarity::knowledge(&config, understanding, &store)?,
            base_prompts: base_prompts(&config, understanding)?,
        })
    };
    Box::new(move |understanding| fittings(understanding).map_err(|error| error.to_string()))
}

/// The same with a catalogue of the caller's.
///
/// # Errors
/// When the embedder cannot be loaded.
pub fn understanding_of(config: &Config, catalogue: catalogue::Catalogue) -> Result<Arc<Understanding>, WiringError> {
    Ok(Arc::new(Understanding::new(similarity::embedder(config)?, catalogue)?))
}

/// The catalogue files of the store as they stand now, by their paths; none where there is no store.
///
/// # Errors
/// When there is a store, and it cannot be read.
pub fn catalogue_files(config: &Config) -> Result<CatalogueFiles, WiringError> {
    let store = match open_store(config) {
        Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
        store => store?,
    };
    let Some(head) = store.head()? else { return Ok(Vec::new()) };
    Ok(pipeline::catalogue_files(&store, &head)?)
}
