//! The outside systems that the pipeline works on.

use super::catalogue_reload::OwnCatalogue;
use super::open_index::OpenIndex;
use super::working_set::Memory;
use super::working_set::recent_files::Recent;
use crate::comments::analyzer::Understanding;
use crate::comments::evaluator::{Evaluator, Near};
use crate::ports::{Advisor, CorrectionFiles, IndexFiles, Knowledge, StoreWriter};
use crate::rules::approval_history::Past;
use crate::text::language::model_reading::Reading;
use std::collections::HashMap;
use std::sync::Arc;

/// What the pipeline is given.
pub struct Ports {
    /// The store, with its lock.
    pub store: Box<dyn StoreWriter + Send>,
    /// Where the index lies.
    pub index: Box<dyn IndexFiles + Send>,
    /// What texts demand.
    pub understanding: Arc<Understanding>,
    /// Near vectors.
    pub knowledge: Box<dyn Knowledge>,
    /// Corrections that come as files.
    pub corrections: Box<dyn CorrectionFiles>,
    /// A language model, where one is configured.
    pub advisor: Option<Box<dyn Advisor>>,
    /// The store's own catalogue, where it may change meanwhile.
    pub own_catalogue: Option<OwnCatalogue>,
    /// What the history says, as far as it was read already.
    pub past: Option<Past>,
}

/// What the pipeline reads and writes while it works.
pub(crate) struct Outside {
    pub store: Box<dyn StoreWriter + Send>,
    pub index: OpenIndex,
    pub understanding: Arc<Understanding>,
    /// Near vectors of what is durable.
    pub knowledge: Box<dyn Knowledge>,
    pub corrections: Box<dyn CorrectionFiles>,
    /// Readings of decisions that are yet to come, by the feedback's id.
    pub readings: HashMap<String, Reading>,
    /// Files that were written lately, as they stand at the memory's head.
    pub recent: Recent,
}

impl Outside {
    /// Looks things up in a memory of what is durable.
    pub fn evaluator<'a>(&'a self, memory: &'a Memory) -> Evaluator<'a> {
        let near = Near { knowledge: self.knowledge.as_ref(), added: None };
        Evaluator { remarks: &memory.remarks, near }
    }
}
