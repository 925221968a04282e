//! What would be learned: decisions run through a pipeline with a throwaway store, in the order in which they come.
//!
//! It keeps one batch and the pipeline's working set, and never reads the real store.

use super::query::{DemandFilter, demands, puzzles};
use crate::decisions::questions::SHOWN;
use crate::domain::intake::decode::{DecodeLimits, from_json_line};
use crate::domain::intake::event::RawEntry;
use crate::domain::reporting::demands::Demands;
use crate::pipeline::clusters::inquiries;
use crate::pipeline::{EntryOutcome, Pipeline, PipelineError};
use crate::ports::Clock;
use crate::queries::{Queries, QueryError};
use serde_json::Value;
use std::sync::Arc;
use thiserror::Error;

/// Runs decisions through a pipeline with a throwaway store.
pub struct Rehearsal {
    pipeline: Pipeline,
    clock: Arc<dyn Clock>,
    limits: DecodeLimits,
    /// Batch size.
    batch: usize,
    waiting: Vec<RawEntry>,
    heard: u64,
    rejected: u64,
}

/// Returns what would be learned.
#[derive(Clone, Debug, PartialEq)]
pub struct RehearsalOutcome {
    /// What reviewers keep asking for.
    pub demands: Demands,
    /// Decisions that could not be decoded.
    pub rejected: u64,
}

/// Why the rehearsal failed.
#[derive(Debug, Error)]
pub enum RehearsalError {
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    #[error(transparent)]
    Query(#[from] QueryError),
}

impl Rehearsal {
    /// Starts empty. The pipeline must not write anywhere.
    pub fn new(pipeline: Pipeline, clock: Arc<dyn Clock>, limits: DecodeLimits, batch: usize) -> Rehearsal {
        Rehearsal { pipeline, clock, limits, batch: batch.max(1), waiting: Vec::new(), heard: 0, rejected: 0 }
    }

    /// Ingests a decision in its stream format.
    ///
    /// # Errors
    /// If the pipeline fails.
    pub fn hear(&mut self, decision: &Value) -> Result<(), RehearsalError> {
        self.heard += 1;
        self.waiting.push(from_json_line(&decision.to_string(), self.heard, &self.limits));
        if self.waiting.len() >= self.batch { self.go() } else { Ok(()) }
    }

    /// Returns the result.
    ///
    /// # Errors
    /// If the pipeline fails, or its output cannot be read.
    pub fn finish(mut self, filter: &DemandFilter) -> Result<RehearsalOutcome, RehearsalError> {
        self.settle()?;
        self.pipeline.flush(self.clock.now())?;
        let pipeline = &self.pipeline;
        let mut found = demands(&Queries::new(pipeline.store(), pipeline.index()), filter)?;
        if let Some((remarks, _)) = pipeline.remembered() {
            let near = |member: &_| pipeline.near_enough_to_ask(member).map_err(QueryError::from);
            found.questions = Some(puzzles(&inquiries::beside(&remarks, SHOWN, &near)?));
        }
        Ok(RehearsalOutcome { demands: found, rejected: self.rejected })
    }

    /// Returns the pipeline after processing everything ingested, so that a language model can be asked.
    ///
    /// # Errors
    /// If the pipeline fails.
    pub fn settle(&mut self) -> Result<&mut Pipeline, RehearsalError> {
        self.go()?;
        Ok(&mut self.pipeline)
    }

    fn go(&mut self) -> Result<(), RehearsalError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let done = self.pipeline.process(&std::mem::take(&mut self.waiting), self.clock.now())?;
        let rejected = done.outcomes.iter().filter(|outcome| matches!(outcome, EntryOutcome::Rejected(_)));
        self.rejected += rejected.count() as u64;
        Ok(())
    }
}
