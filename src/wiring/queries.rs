//! The query service without a daemon: opens store and index for each query, as the reading commands do; and the one
//! inside the daemon.

use super::analyzer::understanding;
use super::clock::clock;
use super::error::WiringError;
use super::index::index_files;
use super::settings::{channel_settings, prompting};
use super::store::open_store;
use crate::app::admin::reindex::ReindexError;
use crate::app::channels::action_knowledge::ActionKnowledge;
use crate::app::channels::service::{ChannelService, OpenSnapshot, Snapshot};
use crate::app::comments::analyzer::InUse;
use crate::app::pipeline::Pipeline;
use crate::app::queries::QueryError;
use crate::app::queries::cached_index::CachedLists;
use crate::app::queries::reader::CompareAccess;
use crate::app::rules::approval_history::KnownPast;
use crate::app::rules::in_force::Board;
use crate::config::Config;
use crate::ports::IndexFiles;
use std::sync::Arc;

/// Returns the query service for the channels, alongside any writer. Loading its understanding takes a moment.
///
/// # Errors
/// If there is no store, or the embedder cannot be loaded.
pub fn asking(config: &Config) -> Result<ChannelService, WiringError> {
    open_store(config)?;
    let in_use = Arc::new(InUse::new(understanding(config)?));
    let (own, compared) = (config.clone(), Arc::clone(&in_use));
    let open = move || {
        let understanding = compared.get();
        let files = index_files(&own, &understanding);
        let opened = CompareAccess::open(Box::new(open_store(&own)?), &files, understanding);
        opened.map(CompareAccess::into_snapshot).map_err(|error| match error {
            ReindexError::Store(error) => QueryError::Store(error),
            ReindexError::Index(error) => QueryError::Index(error),
            ReindexError::Embed(error) => QueryError::Embed(error),
        })
    };
    Ok(channel_service(config, in_use, (Arc::default(), Arc::default()), Box::new(open)))
}

/// Like [`asking`] within the writing daemon, whose index always matches the understanding in use.
pub(super) fn asking_beside(config: &Config, pipeline: &Pipeline) -> ChannelService {
    let in_use = Arc::clone(pipeline.in_use());
    let (own, understanding) = (config.clone(), Arc::clone(&in_use));
    let open = move || {
        let index = index_files(&own, &understanding.get()).snapshot()?;
        Ok(Snapshot { store: Box::new(open_store(&own)?), index })
    };
    let beside = (Arc::clone(pipeline.board()), Arc::clone(pipeline.learned()));
    channel_service(config, in_use, beside, Box::new(open))
}

fn channel_service(
    config: &Config,
    understanding: Arc<InUse>,
    (board, learned): (Arc<Board>, Arc<ActionKnowledge>),
    open: OpenSnapshot,
) -> ChannelService {
    let channels = channel_settings(config);
    ChannelService {
        open,
        understanding,
        refine: channels.refine,
        actions: channels.actions,
        clock: clock(),
        past: KnownPast::default(),
        remembered: CachedLists::default(),
        prompting: prompting(config),
        board,
        learned,
    }
}
