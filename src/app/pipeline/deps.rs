//! The external systems that the pipeline uses.

use super::catalogue_reload::OwnCatalogue;
use super::open_index::OpenIndex;
use super::working_set::WorkingSet;
use super::working_set::recent_files::Recent;
use crate::comments::analyzer::Analyzer;
use crate::comments::evaluator::{Evaluator, NearVectors};
use crate::ports::{Advisor, CorrectionFiles, IndexFiles, Knowledge, StoreWriter};
use crate::rules::approval_history::Past;
use crate::text::language::model_reading::ModelReading;
use std::collections::HashMap;
use std::sync::Arc;

/// The dependencies of the pipeline.
pub struct Ports {
    /// The store, with its lock.
    pub store: Box<dyn StoreWriter + Send>,
    /// The location of the index.
    pub index: Box<dyn IndexFiles + Send>,
    /// The index's location.
    pub understanding: Arc<Analyzer>,
    /// Near vectors.
    pub knowledge: Box<dyn Knowledge>,
    /// Corrections that arrive as files.
    pub corrections: Box<dyn CorrectionFiles>,
    /// A language model, if one is configured.
    pub advisor: Option<Box<dyn Advisor>>,
    /// The store's own catalogue, if it may change at run time.
    pub own_catalogue: Option<OwnCatalogue>,
    /// The history, as far as it was read already.
    pub past: Option<Past>,
}

/// The systems that the pipeline reads and writes while working.
pub(crate) struct Deps {
    pub store: Box<dyn StoreWriter + Send>,
    pub index: OpenIndex,
    pub understanding: Arc<Analyzer>,
    /// Near vectors of what is durable.
    pub knowledge: Box<dyn Knowledge>,
    pub corrections: Box<dyn CorrectionFiles>,
    /// Readings of decisions that have not arrived yet, by feedback id.
    pub readings: HashMap<String, ModelReading>,
    /// Recently written files, as they are at the working set's head.
    pub recent: Recent,
}

impl Deps {
    /// Returns an evaluator on a durable working set.
    pub fn evaluator<'a>(&'a self, memory: &'a WorkingSet) -> Evaluator<'a> {
        let near = NearVectors { knowledge: self.knowledge.as_ref(), added: None };
        Evaluator { remarks: &memory.remarks, near }
    }
}
