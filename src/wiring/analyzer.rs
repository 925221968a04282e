//! The understanding of texts, from the configuration and the store's own catalogue, and what depends on it.

use super::base_prompts::base_prompts;
use super::error::WiringError;
use super::index::index_files;
use super::similarity;
use super::store::open_store;
use crate::app::comments::analyzer::Analyzer;
use crate::app::pipeline::{self, AnalyzerParts, BuildAnalyzerParts, CatalogueFiles};
use crate::config::Config;
use crate::ports::{StoreError, StoreReader};
use crate::text::language::catalogue;
use std::sync::Arc;

/// Returns the understanding of texts: the embedder, and the catalogue with the store's current additions.
///
/// # Errors
/// If the embedder cannot be loaded.
pub fn understanding(config: &Config) -> Result<Arc<Analyzer>, WiringError> {
    // An unreadable store is reported when it is opened.
    let files = catalogue_files(config).unwrap_or_default();
    understanding_of(config, over_shipped(&files).0)
}

/// Returns the shipped catalogue overlaid with these files, and why some are left out. At start there is no other
/// catalogue to continue with.
pub(super) fn over_shipped(files: &CatalogueFiles) -> (catalogue::Catalogue, Vec<String>) {
    if files.is_empty() {
        return (catalogue::shipped(), Vec::new());
    }
    let layers = catalogue::Layers::over_shipped(files);
    let errors = pipeline::reasons(&layers);
    for error in &errors {
        tracing::error!(
            error,
            "a file of the store's catalogue is ignored; run `feedbackd catalogue lint` for \
                                details"
        );
    }
    (layers.catalogue().clone(), errors)
}

/// Returns the loader of what depends on a new understanding.
pub(super) fn fit(config: &Config, store: String) -> BuildAnalyzerParts {
    let config = config.clone();
    let fittings = move |understanding: &Analyzer| -> Result<AnalyzerParts, WiringError> {
        Ok(AnalyzerParts {
            index: Box::new(index_files(&config, understanding)),
            knowledge: similarity::knowledge(&config, understanding, &store)?,
            base_prompts: base_prompts(&config, understanding)?,
        })
    };
    Box::new(move |understanding| fittings(understanding).map_err(|error| error.to_string()))
}

/// Like [`understanding`], with the caller's catalogue.
///
/// # Errors
/// If the embedder cannot be loaded.
pub fn understanding_of(config: &Config, catalogue: catalogue::Catalogue) -> Result<Arc<Analyzer>, WiringError> {
    Ok(Arc::new(Analyzer::new(similarity::embedder(config)?, catalogue)?))
}

/// Returns the store's current catalogue files by path; empty if there is no store.
///
/// # Errors
/// If there is a store, and it cannot be read.
pub fn catalogue_files(config: &Config) -> Result<CatalogueFiles, WiringError> {
    let store = match open_store(config) {
        Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
        store => store?,
    };
    let Some(head) = store.head()? else { return Ok(Vec::new()) };
    Ok(pipeline::catalogue_files(&store, &head)?)
}
