//! The stages of a batch: decode, capture, read, place, decide, commit, index. Publishing and acknowledging are up to
//! the daemon.

use super::batch::draft::{ByModel, Draft};
use super::batch::finish::{Changes, finish};
use super::batch::outcome::{EntryOutcome, ProcessedBatch, count_outcomes};
use super::batch::timings::{Stopwatch, Timings};
use super::clusters::classify::decide;
use super::clusters::place::place_all;
use super::clusters::reconciliation::withdraw_unfounded;
use super::error::{PipelineError, RACES};
use super::intake::capture::capture_all;
use super::intake::channels::{end_sessions, hear_all};
use super::intake::decode::{Incoming, Outcomes};
use super::intake::ingest::arrive;
use super::intake::read::read_all;
use super::intake::rejections::reject_all;
use super::model::answers::take_advice;
use super::model::pattern_check::propose_waiting;
use super::model::reread::take_readings;
use super::reviews::submissions::submit_all;
use super::rules::approval_check::set_aside_unapproved;
use super::rules::cards::refresh_cards;
use super::rules::effects::{RuleMeasurements, judge_rules};
use super::rules::proposals::offer_proposals;
use super::rules::upkeep::{keep_rules, take_up_edits};
use super::state::Pipeline;
use crate::domain::intake::event::RawEntry;
use crate::ports::IndexError;
use jiff::{SignedDuration, Timestamp};

/// How much longer a silent session stays open while the streams are never idle.
const BUSY_GRACE: SignedDuration = SignedDuration::from_mins(10);

/// Why a batch is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// Entries have arrived.
    Entries,
    /// No entries: due work is done.
    Idle,
    /// All pending work is done, due or not: the end of a replay.
    Flush,
}

impl Pipeline {
    /// Processes a batch. Returns when its effect is durable; repeating it changes nothing.
    ///
    /// With no entries, does only what is due, such as proposals whose time has come.
    ///
    /// # Errors
    /// If nothing of the batch was committed; retry the same batch later.
    pub fn process(&mut self, entries: &[RawEntry], now: Timestamp) -> Result<ProcessedBatch, PipelineError> {
        let occasion = if entries.is_empty() { Occasion::Idle } else { Occasion::Entries };
        self.run(&Incoming::decode(entries, &self.settings.decode, now), now, occasion)
    }

    /// Creates all pending proposals, due or not: the end of a replay.
    ///
    /// # Errors
    /// As [`Pipeline::process`].
    pub fn flush(&mut self, now: Timestamp) -> Result<ProcessedBatch, PipelineError> {
        self.run(&Incoming::decode(&[], &self.settings.decode, now), now, Occasion::Flush)
    }

    /// Runs a batch until it is durable. If people committed meanwhile, it is rerun on top of their commits.
    pub(super) fn run(
        &mut self,
        incoming: &Incoming<'_>,
        now: Timestamp,
        occasion: Occasion,
    ) -> Result<ProcessedBatch, PipelineError> {
        if let Some(advising) = &mut self.advising {
            advising.collect(now);
        }
        for _ in 0..RACES {
            self.keep_up(now)?;
            let measured = self.measure(now)?;
            let attempt = self.attempt(incoming, now, occasion, measured.as_ref());
            // A damaged index is detected on lookup and rebuilt before the next batch.
            self.index_behind |= matches!(attempt, Err(PipelineError::Index(IndexError::Stale(_))));
            if let Some(processed) = attempt? {
                self.looked |= occasion == Occasion::Idle;
                self.learned.put_up(self.memory.channels.actions.learning().clone());
                self.ask_next(now);
                return Ok(processed);
            }
        }
        Err(PipelineError::Busy)
    }

    /// Runs a batch on the current working set; returns `None` if the branch has moved and nothing was done.
    fn attempt(
        &mut self,
        incoming: &Incoming<'_>,
        now: Timestamp,
        occasion: Occasion,
        measured: Option<&RuleMeasurements>,
    ) -> Result<Option<ProcessedBatch>, PipelineError> {
        let (mut timings, mut watch) = (Timings::default(), Stopwatch::start());
        let mut draft = Draft::new(&self.memory, &self.outside, &self.settings, now);
        draft.by_model = self.by_model();
        if let Some(grace) = self.grace(occasion) {
            end_sessions(&mut draft, grace, occasion == Occasion::Flush)?;
        }
        let (demands, heard) = hear_all(&mut draft, incoming)?;
        let (fresh, arrived) = arrive(&mut draft, incoming, &demands)?;
        let rejected = reject_all(&mut draft, incoming)?;
        watch.lap(&mut timings.decode);
        feedbackd_ports::fail_point!("batch.decoded");
        let feedback = capture_all(&draft, fresh);
        watch.lap(&mut timings.capture);
        let remarks = read_all(&self.outside.understanding, &self.outside.readings, &self.memory.examples, feedback)?;
        watch.lap(&mut timings.embed);
        feedbackd_ports::fail_point!("batch.understood");
        place_all(&mut draft, remarks)?;
        withdraw_unfounded(&mut draft)?;
        // Before any review: an approval is of the text currently in the file.
        take_up_edits(&mut draft)?;
        set_aside_unapproved(&mut draft)?;
        // After the feedback of the same batch, which they may refer to.
        let submitted = submit_all(&mut draft, incoming)?;
        keep_rules(&mut draft)?;
        if let Some(measured) = measured {
            judge_rules(&mut draft, measured)?;
        }
        if let Some(advising) = &self.advising {
            // After people's reviews in the same batch, which take precedence.
            take_readings(&mut draft, advising)?;
            take_advice(&mut draft, advising)?;
            propose_waiting(&mut draft, &advising.adviser())?;
        }
        offer_proposals(&mut draft, occasion == Occasion::Flush)?;
        refresh_cards(&mut draft)?;
        decide(&mut draft, occasion == Occasion::Flush)?;
        watch.lap(&mut timings.evaluate);
        feedbackd_ports::fail_point!("batch.decided");
        let changes = finish(draft, incoming.entries)?;
        watch.lap(&mut timings.render);
        feedbackd_ports::fail_point!("batch.rendered");
        let outcomes = in_order([incoming.ignored.clone(), heard, arrived, rejected, submitted]);
        self.commit(changes, outcomes, timings, watch)
    }

    /// Returns what is left to the language model: nothing if it has been failing for long.
    fn by_model(&self) -> ByModel {
        let asked = self.settings.advice;
        let is_there = self.advising.as_ref().is_some_and(|advising| !advising.is_away());
        ByModel { places: is_there && asked.read && asked.place, checks: is_there && asked.check }
    }

    /// Sends the next questions to the language model, if there is one.
    fn ask_next(&mut self, now: Timestamp) {
        let Some(advising) = &mut self.advising else { return };
        if let Err(error) = advising.ask_next(&self.memory, &self.outside, &self.settings, now) {
            // The batch is durable nevertheless.
            tracing::warn!(%error, "the language model is asked nothing until similar comments can be found again");
        }
    }

    /// Returns how long a silent session stays open beyond its time. The stream may still contain newer turns. After an
    /// idle poll it does not; before the first one no session is ended.
    fn grace(&self, occasion: Occasion) -> Option<SignedDuration> {
        match occasion {
            Occasion::Flush => Some(SignedDuration::ZERO),
            Occasion::Idle if self.looked => Some(SignedDuration::ZERO),
            Occasion::Entries if self.looked => Some(BUSY_GRACE),
            Occasion::Idle | Occasion::Entries => None,
        }
    }

    /// Makes changes durable, then updates the working set and the index.
    fn commit(
        &mut self,
        changes: Changes,
        outcomes: Vec<EntryOutcome>,
        mut timings: Timings,
        mut watch: Stopwatch,
    ) -> Result<Option<ProcessedBatch>, PipelineError> {
        let previous = self.memory.head.clone();
        let Some(committed) = self.write(&changes)? else { return Ok(None) };
        watch.lap(&mut timings.commit);
        feedbackd_ports::fail_point!("batch.committed");
        let (mut counts, messages) = self.take_in(changes, committed.as_ref());
        watch.lap(&mut timings.index);
        feedbackd_ports::fail_point!("batch.indexed");
        count_outcomes(&outcomes, &mut counts);
        let messages = if committed.is_some() { messages } else { Vec::new() };
        let catalogue_errors = self.renewing.errors().to_vec();
        let roster_error = self.memory.roster_unreadable.clone();
        Ok(Some(ProcessedBatch {
            previous,
            commit: committed,
            outcomes,
            messages,
            counts,
            timings,
            catalogue_errors,
            roster_error,
            model: self.progress(),
        }))
    }
}

/// Returns the outcomes in the order of the entries.
fn in_order(parts: [Outcomes; 5]) -> Vec<EntryOutcome> {
    let mut outcomes: Outcomes = parts.into_iter().flatten().collect();
    outcomes.sort_by_key(|(place, _)| *place);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}
