//! A batch in progress: the working set as it will be, and the files that change.
//!
//! Nothing here is durable or touches the pipeline's working set: a batch that fails is dropped as a whole.

use super::outcome::BatchCounts;
use super::staging::Staging;
use crate::comments::evaluator::{BatchVectors, Evaluator, NearComments, NearVectors};
use crate::domain::clusters::{ClusterKey, MemberKey};
use crate::domain::records::layout;
use crate::domain::records::record::{DecisionRecord, Judged, Registered, Stored};
use crate::pipeline::deps::Deps;
use crate::pipeline::error::PipelineError;
use crate::pipeline::settings::Settings;
use crate::pipeline::working_set::WorkingSet;
use crate::pipeline::working_set::recent_files::RecentFile;
use crate::ports::StoreReader;
use crate::text::language::similarity::DemandVector;
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The data that each stage of a batch reads and changes.
pub(crate) struct Draft<'a> {
    pub outside: &'a Deps,
    pub settings: &'a Settings,
    pub now: Timestamp,
    /// The working set as it will be once the batch is durable.
    pub memory: WorkingSet,
    /// Vectors of new comments.
    pub added: BatchVectors,
    /// Neighbours of new comments at the time they came.
    pub found: HashMap<MemberKey, NearComments>,
    /// The records to write.
    pub staging: Staging,
    /// Rules that change, by id, with their paths in the store. The working set has their new state.
    pub changed_rules: BTreeMap<String, Option<String>>,
    /// Corrections and reports, by path.
    pub texts: BTreeMap<String, String>,
    /// Vectors of decisions whose records change.
    pub vectors: HashMap<String, DemandVector>,
    pub marks: Marks,
    pub counts: BatchCounts,
    /// Whether the working set must be reloaded once this batch is durable, to drop what was withdrawn.
    pub reload: bool,
    /// What the current review implies about clusters that the program formed automatically.
    pub judged: Judged,
    /// What is left to the language model.
    pub by_model: ByModel,
}

/// What is left to the language model, if there is one and it answers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByModel {
    /// The model decides which demands ask for the same; nothing is clustered by vectors.
    pub places: bool,
    /// The model checks patterns against their evidence before they are proposed.
    pub checks: bool,
}

/// What must be re-evaluated before the batch is done.
#[derive(Default)]
pub(crate) struct Marks {
    /// Comments whose class or cluster may have changed.
    pub unsettled: BTreeSet<MemberKey>,
    /// Clusters that have a new member.
    pub touched: BTreeSet<ClusterKey>,
    /// Clusters that lost members to others.
    pub left: BTreeSet<ClusterKey>,
    /// New feedback that asks for the opposite of what a cluster asks for.
    pub dissent: BTreeMap<ClusterKey, BTreeSet<String>>,
    /// Tenants and agents whose open proposals need their cards rebuilt.
    pub stale_cards: BTreeSet<(String, String)>,
}

impl<'a> Draft<'a> {
    /// Creates a batch that changes nothing yet.
    pub fn new(memory: &WorkingSet, outside: &'a Deps, settings: &'a Settings, now: Timestamp) -> Draft<'a> {
        Draft {
            outside,
            settings,
            now,
            memory: memory.clone(),
            added: BatchVectors::default(),
            found: HashMap::new(),
            staging: Staging::default(),
            changed_rules: BTreeMap::new(),
            texts: BTreeMap::new(),
            vectors: HashMap::new(),
            marks: Marks::default(),
            counts: BatchCounts::default(),
            reload: false,
            judged: Judged::default(),
            by_model: ByModel::default(),
        }
    }

    /// Returns an evaluator on the working set as it will be.
    pub fn evaluator(&self) -> Evaluator<'_> {
        let near = NearVectors { knowledge: self.outside.knowledge.as_ref(), added: Some(&self.added) };
        Evaluator { remarks: &self.memory.remarks, near }
    }

    /// Marks everything in these clusters for re-evaluation.
    pub fn regrouped(&mut self, clusters: &[ClusterKey]) {
        for key in clusters {
            self.marks.touched.insert(*key);
            self.marks.unsettled.extend(&self.memory.remarks.groups.cluster(*key).members);
        }
    }

    /// Reports whether the store has a file.
    pub fn stands(&self, path: &str) -> Result<bool, PipelineError> {
        let Some(head) = &self.memory.head else { return Ok(false) };
        let store: &dyn StoreReader = self.outside.store.as_ref();
        Ok(store.read(head, layout::file_and_comment(path).0)?.is_some())
    }

    /// Returns the location of a file in this batch or the store.
    pub fn place_of(&self, path: String) -> Result<String, PipelineError> {
        match &self.memory.head {
            Some(head) if !self.staging.has(&path) => Ok(self.outside.store.place_of(head, path)?),
            _ => Ok(path),
        }
    }

    /// Returns a record for changing, from this batch or else from the store; `None` if it is missing or unreadable.
    pub fn open<R: Registered>(&mut self, path: &str) -> Result<Option<&mut R>, PipelineError> {
        if !self.staging.has(path) {
            match layout::file_and_comment(path) {
                (_, None) => {
                    if let Some(stored) = self.load::<R>(path)? {
                        self.staging.hold(path.to_owned(), stored);
                    }
                }
                (file, Some(comment)) => {
                    if let Some(stored) = self.load::<DecisionRecord>(file)? {
                        self.staging.hold_comment(path.to_owned(), comment, stored);
                    }
                }
            }
        }
        Ok(self.staging.get_mut(path))
    }

    /// Returns a record from the store at the working set's head, or a comment's part of a decision's record; `None` if
    /// it is missing or unreadable.
    pub fn load<R: Registered>(&self, path: &str) -> Result<Option<RecentFile>, PipelineError> {
        if let (file, Some(comment)) = layout::file_and_comment(path) {
            return Ok(self.load::<DecisionRecord>(file)?.and_then(|known| known.of_comment(comment)));
        }
        let Some(head) = &self.memory.head else { return Ok(None) };
        let store: &dyn StoreReader = self.outside.store.as_ref();
        let Some(bytes) = store.read(head, path)? else { return Ok(None) };
        let Ok(text) = String::from_utf8(bytes) else { return Ok(None) };
        match Stored::read(R::KIND, &text) {
            Ok(record) => Ok(Some(RecentFile { text: text.into(), rendered: None, record })),
            Err(error) => {
                tracing::warn!(path, error, "a record in the store cannot be read; it is left unchanged");
                Ok(None)
            }
        }
    }
}
