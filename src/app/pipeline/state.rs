//! The pipeline: store, index, working set, and their synchronization.

use super::catalogue_reload::CatalogueReload;
use super::deps::{Deps, Ports};
use super::error::PipelineError;
use super::intake::prefetch::Prefetch;
use super::model::pending_readings;
use super::model::progress::Progress;
use super::model::queue::ModelQueue;
use super::open_index::OpenIndex;
use super::settings::Settings;
use super::working_set::WorkingSet;
use super::working_set::recent_files::Recent;
use crate::channels::action_knowledge::ActionKnowledge;
use crate::comments::analyzer::{Analyzer, InUse};
use crate::comments::evaluator::Evaluator;
use crate::domain::records::record::ProposalRecord;
use crate::ports::{Advisor, Index, StoreError, StoreReader};
use crate::reports::effectiveness;
use crate::rules::in_force::Board;
use crate::text::ids::CommitId;
use crate::text::language::model_reading::ModelReading;
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How often a waiting command polls for a model's answers.
const LOOK: Duration = Duration::from_millis(20);
/// How often it polls while the model is paused.
const PAUSED: Duration = Duration::from_millis(500);

/// The pipeline: a batch of raw entries in, one durable commit out.
pub struct Pipeline {
    pub(super) outside: Deps,
    pub(super) settings: Settings,
    pub(super) memory: WorkingSet,
    /// Whether there was an idle poll since the start.
    pub(super) looked: bool,
    /// Set while the index lags the store; it catches up before it is next used.
    pub(super) index_behind: bool,
    /// A commit that the branch must contain, as remembered elsewhere, until this is checked.
    pub(super) acknowledged: Option<CommitId>,
    pub(super) advising: Option<ModelQueue>,
    pub(super) renewing: CatalogueReload,
    /// The commit for which the metrics were last updated.
    pub(super) told_at: Option<CommitId>,
    /// The content of the agents' keys.
    pub(super) board: Arc<Board>,
    /// What was learned from actions.
    pub(super) learned: Arc<ActionKnowledge>,
}

impl Pipeline {
    /// Opens the pipeline: updates the index to the store's head, rebuilding it if it is unusable, and loads the
    /// working set from it.
    ///
    /// # Errors
    /// If the store or the index cannot be read.
    pub fn open(ports: Ports, settings: Settings, now: Timestamp) -> Result<Pipeline, PipelineError> {
        let policy = settings.policy(ports.understanding.as_ref());
        let Ports { store, index, understanding, knowledge, corrections, advisor, own_catalogue, past } = ports;
        let renewing = CatalogueReload::new(Arc::clone(&understanding), own_catalogue);
        let mut memory = WorkingSet::new(policy, settings.channels.actions);
        memory.past = past.map(Arc::new);
        let index = OpenIndex::new(index)?;
        let outside = Deps {
            store,
            index,
            understanding,
            knowledge,
            corrections,
            readings: HashMap::new(),
            recent: Recent::default(),
        };
        let advising = advisor.map(ModelQueue::new);
        let mut pipeline = Pipeline {
            outside,
            settings,
            memory,
            looked: false,
            index_behind: true,
            acknowledged: None,
            advising,
            renewing,
            told_at: None,
            board: Arc::default(),
            learned: Arc::default(),
        };
        pipeline.take_up(now)?;
        // Keeps the order in prompts across a restart.
        let (index, rules) = (pipeline.outside.index.open.as_ref(), pipeline.get_active_rules(None));
        pipeline.memory.effects = Arc::new(effectiveness::effects(index, &rules, &pipeline.settings.measuring, now)?);
        Ok(pipeline)
    }

    /// Accepts readings of decisions that have not arrived yet, by feedback id: each counts as if it had arrived with
    /// its decision. Recorded comments are not read again.
    pub fn read_by(&mut self, readings: HashMap<String, ModelReading>) {
        self.outside.readings = readings;
    }

    /// Uses this language model from now on.
    pub fn advise_by(&mut self, advisor: Box<dyn Advisor>) {
        self.advising = Some(ModelQueue::new(advisor));
    }

    /// Returns the number of comments that a language model has yet to read.
    pub fn unread(&self) -> usize {
        pending_readings::count(&self.memory)
    }

    /// Asks a language model and applies its answers until nothing is left to ask or the day's budget is used up: for a
    /// command that waits for it. `told` receives the progress and returns whether to go on. Returns the proposals
    /// created meanwhile.
    ///
    /// # Errors
    /// As [`Pipeline::process`].
    pub fn follow_advice(
        &mut self,
        now: &dyn Fn() -> Timestamp,
        told: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Vec<String>, PipelineError> {
        let mut proposals = Vec::new();
        loop {
            proposals.extend(self.process(&[], now())?.counts.proposals);
            let Some(advising) = &mut self.advising else { return Ok(proposals) };
            let is_paused = advising.is_paused(now());
            if !told(&advising.progress()) || !(advising.is_busy() || is_paused) {
                return Ok(proposals);
            }
            while advising.is_busy() && !advising.has_arrived() && !advising.is_paused(now()) {
                advising.collect(now());
                if advising.is_busy() && !advising.has_arrived() {
                    std::thread::sleep(LOOK);
                }
            }
            if is_paused {
                std::thread::sleep(PAUSED);
            }
        }
    }

    /// Returns the language model's progress, if there is one.
    pub fn progress(&self) -> Option<Progress> {
        self.advising.as_ref().map(ModelQueue::progress)
    }

    /// Returns the rules in force, of one agent if named, the oldest first.
    pub fn get_active_rules(&self, agent: Option<&str>) -> Vec<ProposalRecord> {
        let is_for = |record: &ProposalRecord| agent.is_none_or(|a| record.affected_agents.iter().any(|x| x == a));
        let mut rules: Vec<ProposalRecord> = self
            .memory
            .rules()
            .filter(|rule| rule.in_force() && is_for(&rule.record))
            .map(|rule| rule.record.clone())
            .collect();
        rules.sort_by(|a, b| (a.activated_at, &a.proposal_id).cmp(&(b.activated_at, &b.proposal_id)));
        rules
    }

    /// Returns the commit that the working set reflects.
    pub fn head(&self) -> Option<&CommitId> {
        self.memory.head.as_ref()
    }

    /// Returns the first commit of the store, which never changes.
    pub fn root(&self) -> Option<&CommitId> {
        self.memory.past.as_ref()?.root.as_ref()
    }

    /// Returns the store, for reading.
    pub fn store(&self) -> &dyn StoreReader {
        self.outside.store.as_ref()
    }

    /// Returns the index, for reading.
    pub fn index(&self) -> &dyn Index {
        self.outside.index.open.as_ref()
    }

    /// Returns the understanding.
    pub fn understanding(&self) -> &Arc<Analyzer> {
        &self.outside.understanding
    }

    /// Returns the understanding for services running alongside the pipeline: pushes to the store's catalogue change
    /// it.
    pub fn in_use(&self) -> &Arc<InUse> {
        self.renewing.in_use()
    }

    /// Returns the content of the agents' keys, for services running alongside the pipeline.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Returns what was learned from actions, for services running alongside the pipeline.
    pub fn learned(&self) -> &Arc<ActionKnowledge> {
        &self.learned
    }

    /// Returns a reader of upcoming entries.
    pub fn ahead(&self) -> Prefetch {
        Prefetch::new(Arc::clone(self.in_use()), &self.settings)
    }

    /// Returns the evaluator, for lookups.
    pub fn evaluator(&self) -> Evaluator<'_> {
        self.outside.evaluator(&self.memory)
    }

    /// Returns when pending patterns are due for their proposals, if there are any.
    pub fn proposals_due_at(&self) -> Option<Timestamp> {
        self.memory.waiting_since.and_then(|since| since.checked_add(self.settings.batch_every).ok())
    }

    /// Does housekeeping in the store when idle.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn maintain(&mut self) -> Result<(), StoreError> {
        self.outside.store.maintain()
    }
}
