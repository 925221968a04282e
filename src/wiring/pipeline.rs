//! The pipeline: on the configured store, or on a disposable one.

use super::analyzer;
use super::analyzer::{catalogue_files, understanding_of};
use super::clock::clock;
use super::error::WiringError;
use super::index::{ScratchFiles, index_files};
use super::settings::settings;
use super::store::{make_state_directory, name_of, new_store_id, open_store, writer_options};
use super::{similarity, template};
use crate::adapters::corrections::CorrectionDir;
use crate::adapters::git::GitWriter;
use crate::adapters::memory::MemoryStore;
use crate::app::comments::analyzer::Analyzer;
use crate::app::comments::evaluator::DetachedComments;
use crate::app::pipeline::{OwnCatalogue, Pipeline, Ports};
use crate::app::rules::approval_history::Past;
use crate::config::Config;
use crate::ports::{Advisor, ChangeSet, FileWrite, IndexFiles, Knowledge, StoreReader, StoreWriter};
use std::sync::Arc;

/// Opens the pipeline on the configured store: the only writer during its lifetime. It asks no language model:
/// submitted commands do not wait for one.
///
/// # Errors
/// If the store is missing, locked or damaged, or the state directory cannot be written.
pub fn pipeline(config: &Config) -> Result<Pipeline, WiringError> {
    advised_pipeline(config, None)
}

/// [`pipeline`] with a language model to ask.
///
/// # Errors
/// As [`pipeline`].
pub fn advised_pipeline(config: &Config, advisor: Option<Box<dyn Advisor>>) -> Result<Pipeline, WiringError> {
    open_store(config)?;
    let store = GitWriter::open(&config.store.path, writer_options(config)?)?;
    make_state_directory(config)?;
    let files = catalogue_files(config)?;
    let (catalogue, errors) = analyzer::over_shipped(&files);
    let understanding = understanding_of(config, catalogue)?;
    let index = Box::new(index_files(config, &understanding));
    let settings = settings(config, &understanding)?;
    let past = store.head()?.map(|head| Past::of(&store, &head, &settings.asked(), None)).transpose()?;
    let store_id = name_of(past.as_ref().and_then(|past| past.root.as_ref()));
    let knowledge = similarity::knowledge(config, &understanding, &store_id)?;
    let own_catalogue = Some(OwnCatalogue { files, errors, fit: analyzer::fit(config, store_id) });
    let ports =
        Ports { advisor, own_catalogue, past, ..ports(config, Box::new(store), index, understanding, knowledge) };
    let now = clock().now();
    let mut pipeline = Pipeline::open(ports, settings, now)?;
    pipeline.keep_current(&template::files(), now)?;
    pipeline.keep_origin(&new_store_id(), now)?;
    Ok(pipeline)
}

/// Opens a pipeline on a store with only these files, by path: everything it writes is discarded.
///
/// # Errors
/// If the embedder cannot be loaded.
pub fn dry_pipeline(config: &Config, files: &[(String, String)]) -> Result<Pipeline, WiringError> {
    let understanding = analyzer::understanding(config)?;
    let index = Box::new(ScratchFiles(index_files(config, &understanding)));
    let settings = settings(config, &understanding)?;
    let mut store = MemoryStore::new();
    if !files.is_empty() {
        let write = |(path, text): &(String, String)| FileWrite { path: path.clone(), content: text.clone().into() };
        let change = ChangeSet { writes: files.iter().map(write).collect(), ..ChangeSet::default() };
        store.commit(None, &change)?;
    }
    let knowledge = similarity::in_memory(config, &understanding)?;
    let ports = ports(config, Box::new(store), index, understanding, knowledge);
    Ok(Pipeline::open(ports, settings, clock().now())?)
}

/// Creates an empty working set of comments, according to the configuration.
///
/// # Errors
/// If the configuration is unusable.
pub fn remembered(config: &Config, understanding: &Analyzer) -> Result<DetachedComments, WiringError> {
    let policy = settings(config, understanding)?.policy(understanding);
    Ok(DetachedComments::new(similarity::in_memory(config, understanding)?, policy))
}

fn ports(
    config: &Config,
    store: Box<dyn StoreWriter + Send>,
    index: Box<dyn IndexFiles + Send>,
    understanding: Arc<Analyzer>,
    knowledge: Box<dyn Knowledge>,
) -> Ports {
    let root = (!config.intake.corrections_root.as_os_str().is_empty()).then(|| config.intake.corrections_root.clone());
    let corrections = Box::new(CorrectionDir::new(root, config.intake.max_diff_bytes as u64));
    Ports { store, index, understanding, knowledge, corrections, advisor: None, own_catalogue: None, past: None }
}
