//! The pipeline: store, index, memory, and what they agree on.

use super::catalogue_reload::Renewing;
use super::deps::{Outside, Ports};
use super::error::PipelineError;
use super::intake::prefetch::Ahead;
use super::model::pending_readings;
use super::model::progress::Progress;
use super::model::queue::Advising;
use super::open_index::OpenIndex;
use super::settings::Settings;
use super::working_set::Memory;
use super::working_set::recent_files::Recent;
use crate::channels::action_knowledge::Learned;
use crate::comments::analyzer::{InUse, Understanding};
use crate::comments::evaluator::Evaluator;
use crate::domain::records::record::ProposalRecord;
use crate::ports::{Advisor, Index, StoreError, StoreReader};
use crate::reports::effectiveness;
use crate::rules::in_force::Board;
use crate::text::ids::CommitId;
use crate::text::language::model_reading::Reading;
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How long a command waits between two looks at what a model answered.
const LOOK: Duration = Duration::from_millis(20);
/// The same while the model is left alone.
const PAUSED: Duration = Duration::from_millis(500);

/// The pipeline: a batch of raw entries in, one durable commit out.
pub struct Pipeline {
    pub(super) outside: Outside,
    pub(super) settings: Settings,
    pub(super) memory: Memory,
    /// Whether there was an idle look since the start.
    pub(super) looked: bool,
    /// Set while the index does not say what the store says; it catches up before it is asked again.
    pub(super) index_behind: bool,
    /// A commit that the branch must contain, as somebody else remembers it; until that was looked at.
    pub(super) acknowledged: Option<CommitId>,
    pub(super) advising: Option<Advising>,
    pub(super) renewing: Renewing,
    /// The commit of which the metrics were told how things stand.
    pub(super) told_at: Option<CommitId>,
    /// What the agents' keys hold.
    pub(super) board: Arc<Board>,
    /// What was learned from actions.
    pub(super) learned: Arc<Learned>,
}

impl Pipeline {
    /// Opens the pipeline: brings the index up to the store's head, making it again where it is unusable, and loads the
    /// memory from it.
    ///
    /// # Errors
    /// When the store or the index cannot be read.
    pub fn open(ports: Ports, settings: Settings, now: Timestamp) -> Result<Pipeline, PipelineError> {
        let policy = settings.policy(ports.understanding.as_ref());
        let Ports { store, index, understanding, knowledge, corrections, advisor, own_catalogue, past } = ports;
        let renewing = Renewing::new(Arc::clone(&understanding), own_catalogue);
        let mut memory = Memory::new(policy, settings.channels.actions);
        memory.past = past.map(Arc::new);
        let index = OpenIndex::new(index)?;
        let outside = Outside {
            store,
            index,
            understanding,
            knowledge,
            corrections,
            readings: HashMap::new(),
            recent: Recent::default(),
        };
        let advising = advisor.map(Advising::new);
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
        // Prompts keep their order over a restart.
        let (index, rules) = (pipeline.outside.index.open.as_ref(), pipeline.get_active_rules(None));
        pipeline.memory.effects = Arc::new(effectiveness::effects(index, &rules, &pipeline.settings.measuring, now)?);
        Ok(pipeline)
    }

    /// Takes readings of decisions that are yet to come, by the feedback's id: each counts as if it had arrived with its
    /// decision. What is recorded already is not read again.
    pub fn read_by(&mut self, readings: HashMap<String, Reading>) {
        self.outside.readings = readings;
    }

    /// Asks this language model from now on.
    pub fn advise_by(&mut self, advisor: Box<dyn Advisor>) {
        self.advising = Some(Advising::new(advisor));
    }

    /// How many comments a language model has yet to read.
    pub fn unread(&self) -> usize {
        pending_readings::count(&self.memory)
    }

    /// Asks a language model and follows what it answers until nothing is left to ask, or the day's budget is used up: for a
    /// command that waits for it. `told` hears of how far it has come, and says whether to go on.
    /// Returns the proposals that were made meanwhile.
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

    /// How far the language model has come, if there is one.
    pub fn progress(&self) -> Option<Progress> {
        self.advising.as_ref().map(Advising::progress)
    }

    /// The rules in force, those of one agent where one is named, the oldest first.
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

    /// The commit the memory reflects.
    pub fn head(&self) -> Option<&CommitId> {
        self.memory.head.as_ref()
    }

    /// The first commit of the store, which never changes.
    pub fn root(&self) -> Option<&CommitId> {
        self.memory.past.as_ref()?.root.as_ref()
    }

    /// The store, for reading.
    pub fn store(&self) -> &dyn StoreReader {
        self.outside.store.as_ref()
    }

    /// The index, for reading.
    pub fn index(&self) -> &dyn Index {
        self.outside.index.open.as_ref()
    }

    /// What texts demand.
    pub fn understanding(&self) -> &Arc<Understanding> {
        &self.outside.understanding
    }

    /// The same for those who answer beside the pipeline: what people push to the store's catalogue changes it.
    pub fn in_use(&self) -> &Arc<InUse> {
        self.renewing.in_use()
    }

    /// What the agents' keys hold, for those who answer beside the pipeline.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// What was learned from actions, for those who answer beside the pipeline.
    pub fn learned(&self) -> &Arc<Learned> {
        &self.learned
    }

    /// Reads what comes next, beside the pipeline.
    pub fn ahead(&self) -> Ahead {
        Ahead::new(Arc::clone(self.in_use()), &self.settings)
    }

    /// The evaluator, for looking things up.
    pub fn evaluator(&self) -> Evaluator<'_> {
        self.outside.evaluator(&self.memory)
    }

    /// When patterns that wait for their proposals are due, where some wait.
    pub fn proposals_due_at(&self) -> Option<Timestamp> {
        self.memory.waiting_since.and_then(|since| since.checked_add(self.settings.batch_every).ok())
    }

    /// Housekeeping in the store, when there is nothing else to do.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn maintain(&mut self) -> Result<(), StoreError> {
        self.outside.store.maintain()
    }
}
