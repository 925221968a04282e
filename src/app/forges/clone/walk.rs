//! Reads a clone from beginning to end.

use super::source::Source;
use super::tally::{CloneTally, CloneWatcher};
use crate::domain::intake::forge::clone::SkipReason;
use crate::domain::intake::forge::{Claim, ClaimBy, EventContent, Reason, Review};
use crate::domain::rules::in_force::pull_request::made_by_us;
use crate::forges::deliveries::{Forge, Forges};
use crate::ports::{BusError, Clock, CloneError, CloneFacts, ReadClone};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use thiserror::Error;

/// Why reading a clone ended early.
#[derive(Debug, Error)]
pub enum ClonedError {
    /// The clone failed.
    #[error(transparent)]
    Clone(#[from] CloneError),
    /// What was read cannot be passed on.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The listener wants no more.
    #[error("it was stopped")]
    Stopped,
}

/// What to read from a clone.
#[derive(Clone, Debug)]
pub struct CloneScope {
    /// Start time, inclusive.
    pub since: Option<Timestamp>,
    /// End time, exclusive.
    pub until: Option<Timestamp>,
    /// The sources to read.
    pub sources: BTreeSet<Source>,
}

/// A clone, and the forge to which its reviews are attributed.
pub struct CloneSource {
    /// Where reviews are submitted.
    pub forges: Arc<Forges>,
    /// Determines whose comments count.
    pub forge: Forge,
    /// `owner/name`
    pub repository: String,
    pub clone: Box<dyn ReadClone>,
    pub clock: Arc<dyn Clock>,
}

/// Receiver of what is read.
enum Taker<'t> {
    /// The stream that the daemon reads.
    Stream,
    /// A callback.
    Listener(&'t mut dyn FnMut(&Value) -> bool),
}

/// One reading of a clone.
pub(super) struct Run<'a> {
    pub cloned: &'a CloneSource,
    pub wanted: &'a CloneScope,
    pub watcher: &'a dyn CloneWatcher,
    pub facts: CloneFacts,
    pub tally: &'a mut CloneTally,
    taker: Taker<'a>,
}

impl CloneSource {
    /// Reads and submits what is wanted. On an error the tally shows the progress.
    ///
    /// # Errors
    /// If the clone or Redis fails. A repeated call submits nothing twice.
    pub fn import(
        &self,
        wanted: &CloneScope,
        watcher: &dyn CloneWatcher,
        tally: &mut CloneTally,
    ) -> Result<(), ClonedError> {
        self.go(wanted, watcher, tally, Taker::Stream)
    }

    /// Same as [`CloneSource::import`], without submitting anything: `hear` gets the decisions and returns whether it
    /// wants more.
    ///
    /// # Errors
    /// If the clone fails, or `hear` wants no more.
    pub fn look(
        &self,
        wanted: &CloneScope,
        watcher: &dyn CloneWatcher,
        tally: &mut CloneTally,
        hear: &mut dyn FnMut(&Value) -> bool,
    ) -> Result<(), ClonedError> {
        self.go(wanted, watcher, tally, Taker::Listener(hear))
    }

    fn go<'a>(
        &'a self,
        wanted: &'a CloneScope,
        watcher: &'a dyn CloneWatcher,
        tally: &'a mut CloneTally,
        taker: Taker<'a>,
    ) -> Result<(), ClonedError> {
        let facts = self.clone.facts()?;
        tally.is_shallow = facts.is_shallow;
        let mut run = Run { cloned: self, wanted, watcher, facts, tally, taker };
        run.changes()?;
        run.votes()?;
        run.discussions()?;
        run.work()
    }

    /// Reports whether the configuration names a person by this name.
    pub(super) fn is_known(&self, name: &str) -> bool {
        let is_author = |claim: &Claim| claim.by == ClaimBy::Author && claim.is.eq_ignore_ascii_case(name);
        let policy = &self.forge.policy;
        self.forge.people.contains_key(name)
            || policy.ignored.iter().any(|ignored| ignored.eq_ignore_ascii_case(name))
            || policy.claims.iter().any(is_author)
    }
}

impl Run<'_> {
    pub fn wants(&self, source: Source) -> bool {
        self.wanted.sources.contains(&source)
    }

    /// Counts a review, if it is accepted.
    pub fn take(&mut self, source: Source, review: Review) -> Result<(), ClonedError> {
        if review.by.login.is_empty() {
            self.tally.skip(source, Reason::Incomplete);
            return Ok(());
        }
        let is_early = |at: Timestamp| self.wanted.since.is_some_and(|since| at < since);
        let is_late = |at: Timestamp| self.wanted.until.is_some_and(|until| at >= until);
        if review.at.is_some_and(|at| is_early(at) || is_late(at)) {
            self.tally.skip(source, SkipReason::OtherTime);
            return Ok(());
        }
        let description = review.work.description.as_deref().unwrap_or_default();
        if made_by_us(description, 1, review.at, review.at).is_some() {
            self.tally.skip(source, Reason::OwnExport);
            return Ok(());
        }
        let delivery = format!("clone-{}", review.review);
        let mut part = match self.cloned.forge.hear(&delivery, EventContent::Review(Box::new(review))) {
            Ok(part) => part,
            Err(reason) => {
                self.tally.skip(source, reason);
                return Ok(());
            }
        };
        for remark in part.review.iter_mut().flat_map(|review| &mut review.remarks) {
            let (Some(commit), Some(file), Some(line)) = (&remark.revision, &remark.file, remark.line) else {
                continue;
            };
            let old = remark.side.as_deref() == Some("left");
            remark.hunk = self.cloned.clone.hunk(commit, file, line, remark.lines.unwrap_or(1), old);
        }
        self.tally.count(source, &part);
        let (parts, forges, now) = ([part], &self.cloned.forges, self.cloned.clock.now());
        match &mut self.taker {
            Taker::Stream if forges.hand_in(&parts, now)? => self.tally.all.handed_over += 1,
            Taker::Stream => self.tally.all.known += 1,
            Taker::Listener(hear) => {
                if !forges.decisions_of(&parts, now).iter().all(&mut **hear) {
                    return Err(ClonedError::Stopped);
                }
            }
        }
        Ok(())
    }

    /// Counts one more item of a source.
    pub fn looked(&mut self, source: Source, all: Option<u64>) {
        self.tally.of(source).looked_at += 1;
        self.watcher.looked(source, self.tally.of(source).looked_at, all, self.tally);
    }
}
