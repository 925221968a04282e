//! The data path: a batch of raw entries in, one durable commit out (specification, "The data path").
//!
//! Synchronous and single-threaded on purpose: one writer, one order. Reading, publishing and acknowledging are the
//! daemon's work; nothing here knows Redis.

mod advising;
pub mod asking;
#[path = "draft.rs"]
mod batch;
#[path = "memory/channels.rs"]
mod channels;
mod drafting;
pub mod learning;
mod measuring;
mod open_index;
pub mod outbox;
mod outcome;
mod recent;
mod renewing;
pub mod rule_manager;
mod settings;
mod stages;
mod staging;
#[path = "memory/value.rs"]
mod state;
mod summary;
mod upkeep;

pub use outcome::{BatchCounts, EntryOutcome, Processed, class_index};
pub use renewing::{CatalogueFiles, Fit, Fittings, OwnCatalogue, catalogue_files, reasons};
pub use settings::{AdviceSettings, ChannelSettings, RuleSettings, Settings};
pub use stages::Stages;

use crate::app::effectiveness;
use crate::app::evaluator::{Evaluator, Near};
use crate::app::reindex::{self, ReindexError};
use crate::app::report;
use crate::app::understanding::{InUse, Understanding};
use crate::domain::ids::CommitId;
use crate::domain::intake::capture::feedback_id;
use crate::domain::intake::decode::Decoded;
use crate::domain::intake::decode::{DecodeLimits, decode, fill_missing};
use crate::domain::intake::event::{HitlDecision, RawEntry, RejectCode, Rejection};
use crate::domain::records::layout;
use crate::domain::rules::lifecycle::roster::Roster;
use crate::ports::{
    Advisor, CommitOutcome, CorrectionFiles, EmbedError, Index, IndexError, IndexFiles, Knowledge, KnowledgeError,
    StoreError, StoreReader, StoreWriter,
};
use advising::Advising;
use batch::{Batch, Finished};
use jiff::{SignedDuration, Timestamp};
use measuring::Measured;
use open_index::OpenIndex;
use outcome::count_outcomes;
use recent::Recent;
use renewing::Renewing;
use rule_manager::RuleManager;
use stages::Stopwatch;
use state::State;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use thiserror::Error;

/// How often a batch is tried again because somebody else committed in between.
const RACES: usize = 16;

/// How much longer a silent session is left open while the streams are never idle.
const BUSY_GRACE: SignedDuration = SignedDuration::from_mins(10);

/// The outside systems the pipeline works on.
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
}

/// A failure that leaves the batch unprocessed: nothing of it was committed, nothing may be acknowledged.
#[derive(Debug, Error)]
pub enum PipelineError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index could not be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The index could not be brought up to the store.
    #[error(transparent)]
    Reindex(#[from] ReindexError),
    /// Texts could not be embedded.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Near remarks could not be found.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// People commit faster than batches can be made.
    #[error("the branch moved {RACES} times while one batch was made; it will be tried again")]
    Busy,
    /// A record could not be written as text.
    #[error("a record cannot be written: {0}")]
    Record(String),
}

/// What the pipeline reads and writes while it works.
struct Outside {
    store: Box<dyn StoreWriter + Send>,
    index: OpenIndex,
    understanding: Arc<Understanding>,
    /// Near vectors of what is durable.
    knowledge: Box<dyn Knowledge>,
    corrections: Box<dyn CorrectionFiles>,
    /// Files that were written lately, as they stand at the memory's head.
    recent: Recent,
}

/// Looks things up in the memory.
fn evaluator<'a>(state: &'a State, outside: &'a Outside) -> Evaluator<'a> {
    Evaluator { remarks: &state.remarks, near: Near { knowledge: outside.knowledge.as_ref(), added: None } }
}

/// The pipeline: store, index, memory and what they agree on.
pub struct Pipeline {
    outside: Outside,
    settings: Settings,
    state: State,
    /// Whether there was an idle look since the start.
    looked: bool,
    /// Set while the index could not take a commit up; it catches up before it is asked again.
    index_behind: bool,
    advising: Option<Advising>,
    renewing: Renewing,
}

impl Pipeline {
    /// Opens the pipeline: brings the index up to the store's head, making it again where it is unusable, and loads the
    /// memory from it.
    ///
    /// # Errors
    /// When the store or the index cannot be read.
    pub fn open(ports: Ports, settings: Settings, now: Timestamp) -> Result<Pipeline, PipelineError> {
        let policy = settings.policy(ports.understanding.as_ref());
        let Ports { store, index, understanding, knowledge, corrections, advisor, own_catalogue } = ports;
        let renewing = Renewing::new(Arc::clone(&understanding), own_catalogue);
        let state = State::new(policy, settings.channels.actions);
        let index = OpenIndex::new(index)?;
        let outside = Outside { store, index, understanding, knowledge, corrections, recent: Recent::default() };
        let advising = advisor.map(Advising::new);
        let mut pipeline = Pipeline { outside, settings, state, looked: false, index_behind: true, advising, renewing };
        pipeline.take_up(now)?;
        // Prompts keep their order over a restart.
        let (index, rules) = (pipeline.outside.index.open.as_ref(), pipeline.get_active_rules(None));
        pipeline.state.effects = Arc::new(effectiveness::effects(index, &rules, &pipeline.settings.measuring, now)?);
        Ok(pipeline)
    }

    /// The commit the memory reflects.
    pub fn head(&self) -> Option<&CommitId> {
        self.state.head.as_ref()
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

    /// The evaluator, for looking things up.
    pub fn evaluator(&self) -> Evaluator<'_> {
        evaluator(&self.state, &self.outside)
    }

    /// When patterns that wait for their proposals are due, where some wait.
    pub fn proposals_due_at(&self) -> Option<Timestamp> {
        self.state.waiting_since.and_then(|since| since.checked_add(self.settings.batch_every).ok())
    }

    /// Processes a batch. Returns when its effect is durable; repeating it changes nothing.
    ///
    /// With no entries it only does what is due: proposals whose time has come.
    ///
    /// # Errors
    /// When nothing of the batch was committed; try the same batch again later.
    pub fn process(&mut self, entries: &[RawEntry], now: Timestamp) -> Result<Processed, PipelineError> {
        let decoded: Vec<Decoded> = entries.iter().map(|entry| decode_entry(entry, &self.settings.decode)).collect();
        self.run(entries, &decoded, now, false)
    }

    /// Makes all proposals that wait, due or not: the end of a replay.
    ///
    /// # Errors
    /// As [`Pipeline::process`].
    pub fn flush(&mut self, now: Timestamp) -> Result<Processed, PipelineError> {
        self.run(&[], &[], now, true)
    }

    /// Housekeeping in the store, when there is nothing else to do.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn maintain(&mut self) -> Result<(), StoreError> {
        self.outside.store.maintain()
    }

    fn run(
        &mut self,
        entries: &[RawEntry],
        decoded: &[Decoded],
        now: Timestamp,
        flush: bool,
    ) -> Result<Processed, PipelineError> {
        // Only where nothing else is to be done: a model is never in the way of what people say.
        let idle = entries.is_empty() && !flush;
        if idle && let Some(advising) = &mut self.advising {
            advising.collect(now);
        }
        for _ in 0..RACES {
            self.keep_up(now)?;
            let measured = self.measure(now)?;
            match self.attempt(entries, decoded, now, flush, measured.as_ref()) {
                Ok(Some(processed)) => {
                    if idle {
                        self.looked = true;
                        if let Err(error) = self.ask_next(now) {
                            tracing::warn!(%error, "the language model is asked nothing before near remarks are found again");
                        }
                    }
                    if let Some(measured) = &measured {
                        self.state.measured_at = Some(now);
                        // Where nothing was to be reported yet, what comes late may still be.
                        if measured.weekly.is_some() {
                            self.state.reported = report::weekly_path(now);
                        }
                    }
                    return Ok(processed);
                }
                // Somebody else committed: nothing of the batch is left, and it is made again on that.
                Ok(None) => self.take_up(now)?,
                // Nothing of the batch is left, and the memory is as it was.
                Err(error) => return Err(error),
            }
        }
        Err(PipelineError::Busy)
    }

    /// Takes up what people committed since: records, the roster, and the store's catalogue. Every batch begins with
    /// it. It may take long, so that whoever hands batches on calls it before: then nothing is in hand meanwhile.
    ///
    /// # Errors
    /// When store or index cannot be read; the next batch tries again.
    pub fn keep_up(&mut self, now: Timestamp) -> Result<(), PipelineError> {
        let head = self.outside.store.head()?;
        let behind = self.index_behind || head != self.state.head;
        // A catalogue that waits for its embedder is no reason to load the memory anew.
        if behind || (self.renewing.is_due(now) && self.renew(head.as_ref(), now)?) {
            self.take_up(now)?;
        }
        Ok(())
    }

    /// Makes the memory what the store says: catalogue and index up to the head, memory from the index.
    fn take_up(&mut self, now: Timestamp) -> Result<(), PipelineError> {
        // Until it is done the memory is not to be used.
        self.index_behind = true;
        let head = self.outside.store.head()?;
        self.renew(head.as_ref(), now)?;
        self.outside.index.ready()?;
        match self.load_index(head.as_ref(), now) {
            Err(
                PipelineError::Index(IndexError::Stale(reason))
                | PipelineError::Reindex(ReindexError::Index(IndexError::Stale(reason))),
            ) => {
                self.outside.index.remake(&reason)?;
                self.load_index(head.as_ref(), now)?;
            }
            other => other?,
        }
        self.index_behind = false;
        self.renewing.done();
        Ok(())
    }

    fn load_index(&mut self, head: Option<&CommitId>, now: Timestamp) -> Result<(), PipelineError> {
        let Outside { store, index, understanding, knowledge, recent, .. } = &mut self.outside;
        if let Some(head) = head {
            reindex::catch_up(store.as_ref(), index.open.as_mut(), understanding.as_ref(), head)?;
        }
        let mut state = self.state.clone();
        state.load(index.open.as_ref(), understanding.as_ref(), head.cloned(), now)?;
        let (roster, error) = roster(store.as_ref(), head)?;
        (state.roster, state.roster_error) = (Arc::new(roster), error);
        state.remarks.fill(knowledge.as_mut())?;
        recent.clear();
        self.state = state;
        Ok(())
    }

    fn attempt(
        &mut self,
        entries: &[RawEntry],
        decoded: &[Decoded],
        now: Timestamp,
        flush: bool,
        measured: Option<&Measured>,
    ) -> Result<Option<Processed>, PipelineError> {
        let (mut stages, mut watch) = (Stages::default(), Stopwatch::start());
        let mut batch = Batch::new(&self.state, &self.outside, &self.settings, now);
        let mut outcomes = Vec::with_capacity(entries.len());
        let mut fresh = Fresh::default();
        let mut demands = Vec::new();
        // What was said meanwhile may still wait in the stream: after an idle look nothing does.
        if flush || (entries.is_empty() && self.looked) {
            batch.end_sessions(SignedDuration::ZERO, flush)?;
        } else if self.looked {
            batch.end_sessions(BUSY_GRACE, flush)?;
        }
        for (entry, decoded) in entries.iter().zip(decoded) {
            outcomes.push(match decoded {
                Decoded::Ignored(why) => EntryOutcome::Ignored(why),
                // After the feedback of the same batch: it may be about that.
                Decoded::Submission(_) => EntryOutcome::Ignored("submission"),
                Decoded::Decision(decision) => {
                    let id = feedback_id(&decision.decision_id);
                    if batch.knows(&id) {
                        batch.complete(decision.as_ref().clone())?;
                        EntryOutcome::Duplicate(id)
                    } else if fresh.add(&id, decision) {
                        EntryOutcome::Recorded(id)
                    } else {
                        EntryOutcome::Duplicate(id)
                    }
                }
                Decoded::Channel(event) => batch.hear(event, &mut demands)?,
                Decoded::Rejected(rejection) => {
                    batch.reject(entry, rejection)?;
                    EntryOutcome::Rejected(rejection.clone())
                }
            });
        }
        for demand in demands {
            let id = feedback_id(&demand.decision_id);
            if !batch.knows(&id) {
                fresh.add(&id, &demand);
            }
        }
        watch.lap(&mut stages.decode);
        let feedback = batch.capture_all(fresh.decisions);
        watch.lap(&mut stages.capture);
        let feedback = batch.understand(feedback)?;
        watch.lap(&mut stages.embed);
        batch.evaluate(feedback)?;
        batch.take_up_edits()?;
        for (outcome, decoded) in outcomes.iter_mut().zip(decoded) {
            if let Decoded::Submission(submission) = decoded {
                *outcome = batch.submit(submission)?;
            }
        }
        batch.keep_rules()?;
        if let Some(measured) = measured {
            batch.judge_rules(measured)?;
        }
        if let Some(advising) = self.advising.as_ref().filter(|_| entries.is_empty() && !flush) {
            batch.take_advice(advising)?;
        }
        batch.offer_proposals(flush)?;
        batch.refresh_cards()?;
        batch.settle()?;
        watch.lap(&mut stages.evaluate);
        batch.count_submissions(&outcomes);
        let Finished { change, updates, messages, mut counts, written, reload, state, added } =
            batch.finish(entries)?;
        watch.lap(&mut stages.render);
        let previous = self.state.head.clone();
        let committed = if change.writes.is_empty() && change.removes.is_empty() {
            None
        } else {
            match self.outside.store.commit(previous.as_ref(), &change)? {
                CommitOutcome::Moved(_) => return Ok(None),
                CommitOutcome::Unchanged(_) => None,
                CommitOutcome::Committed(id) => Some(id),
            }
        };
        watch.lap(&mut stages.commit);
        self.state = state;
        if let Err(error) = self.outside.knowledge.add(added.vectors()) {
            // What cannot be found is looked for again with the next batch, which says so.
            tracing::warn!(%error, "the remarks of a batch are not among the near vectors yet");
        }
        if let Some(commit) = &committed {
            self.state.head = Some(commit.clone());
            self.outside.recent.put(written);
            change.removes.iter().for_each(|path| self.outside.recent.remove(path));
            if let Err(error) = self.outside.index.open.apply(&updates, commit) {
                // The commit is durable, and the index can always be made again from it.
                tracing::warn!(%error, commit = commit.short(), "the index did not take the commit up; it will catch up");
                self.index_behind = true;
            }
            // What the memory does not learn by itself it reads from the index again.
            self.index_behind |= reload;
        }
        watch.lap(&mut stages.index);
        count_outcomes(&outcomes, &mut counts);
        let messages = if committed.is_some() { messages } else { Vec::new() };
        let catalogue_errors = self.renewing.errors().to_vec();
        Ok(Some(Processed { previous, commit: committed, outcomes, messages, counts, stages, catalogue_errors }))
    }
}

/// The roster at a commit. One that cannot be read lets nobody decide, which is safe; refusals, the log and `doctor`
/// say why.
fn roster(store: &dyn StoreReader, head: Option<&CommitId>) -> Result<(Roster, Option<String>), StoreError> {
    let Some(bytes) = head.map(|head| store.read(head, layout::ROSTER)).transpose()?.flatten() else {
        return Ok((Roster::default(), None));
    };
    Ok(match Roster::parse(&String::from_utf8_lossy(&bytes)) {
        Ok(roster) => (roster, None),
        Err(error) => {
            let error = error.lines().next().unwrap_or_default().to_owned();
            tracing::error!(
                path = layout::ROSTER,
                error,
                "the roster cannot be read; until it is mended nobody can decide"
            );
            (Roster::default(), Some(error))
        }
    })
}

/// A raw entry, decoded. One without fields was trimmed while it was pending: its content is lost.
fn decode_entry(entry: &RawEntry, limits: &DecodeLimits) -> Decoded {
    if entry.fields.is_empty() {
        return Decoded::Rejected(Rejection {
            code: RejectCode::EntryTrimmed,
            field: None,
            message: format!(
                "The entry was trimmed from {} before it was processed, so its content is lost; give the stream a larger MAXLEN.",
                entry.stream
            ),
        });
    }
    decode(entry, limits)
}

/// The new decisions of a batch, each once, in their order.
#[derive(Default)]
struct Fresh {
    decisions: Vec<HitlDecision>,
    place: HashMap<String, usize>,
}

impl Fresh {
    /// Adds a decision; false where it is there already, which then takes over what it did not have.
    fn add(&mut self, id: &str, decision: &HitlDecision) -> bool {
        if let Some(place) = self.place.get(id) {
            fill_missing(&mut self.decisions[*place], decision);
            return false;
        }
        self.place.insert(id.to_owned(), self.decisions.len());
        self.decisions.push(decision.clone());
        true
    }
}

/// The last entry of each stream in a batch, for the commit's trailers.
fn last_entries(entries: &[RawEntry]) -> BTreeMap<&str, &str> {
    entries.iter().map(|e| (e.stream.as_str(), e.id.as_str())).collect()
}
