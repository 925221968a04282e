//! What answers questions without a daemon: store and index as the reading commands open them, at each question.

use super::clock::clock;
use super::error::WiringError;
use super::index::index_files;
use super::settings::{channel_settings, prompting};
use super::store::open_store;
use super::understanding::understanding;
use crate::app::approving::KnownPast;
use crate::app::channel_service::ChannelService;
use crate::app::in_force::Board;
use crate::app::queries::QueryError;
use crate::app::reading::Comparing;
use crate::app::reindex::ReindexError;
use crate::app::remembering::Remembered;
use crate::app::understanding::InUse;
use crate::config::Config;
use std::sync::Arc;

/// What answers about the channels, beside whoever writes. Loading what it understands by takes a moment.
///
/// # Errors
/// When there is no store, or the embedder cannot be loaded.
pub fn asking(config: &Config) -> Result<ChannelService, WiringError> {
    open_store(config)?;
    let channels = channel_settings(config);
    let in_use = Arc::new(InUse::new(understanding(config)?));
    let (config, compared) = (config.clone(), Arc::clone(&in_use));
    let prompting = prompting(&config);
    let open = move || {
        let understanding = compared.get();
        let files = index_files(&config, &understanding);
        let opened = Comparing::open(Box::new(open_store(&config)?), &files, understanding);
        opened.map(Comparing::into_snapshot).map_err(|error| match error {
            ReindexError::Store(error) => QueryError::Store(error),
            ReindexError::Index(error) => QueryError::Index(error),
            ReindexError::Embed(error) => QueryError::Embed(error),
        })
    };
    Ok(ChannelService {
        open: Box::new(open),
        understanding: in_use,
        refine: channels.refine,
        actions: channels.actions,
        clock: clock(),
        past: KnownPast::default(),
        remembered: Remembered::default(),
        prompting,
        board: Arc::new(Board::default()),
    })
}
