//! Syncs the working set with the store: after people's commits, with another catalogue, or with an index that lags.

use super::catalogue_reload::{AnalyzerParts, ReloadedAnalyzer};
use super::deps::Deps;
use super::error::PipelineError;
use super::state::Pipeline;
use super::working_set::WorkingSet;
use crate::admin::reindex;
use crate::admin::reindex::ReindexError;
use crate::comments::evaluator::CommentVectors;
use crate::domain::records::layout;
use crate::domain::rules::lifecycle::succession::RosterBasis;
use crate::metrics;
use crate::ports::{IndexError, JoinOutcome, StoreReader};
use crate::rules::approval_history;
use crate::rules::approval_history::{ApprovalRequirements, Past};
use crate::text::ids::CommitId;
use jiff::Timestamp;
use std::sync::Arc;

impl Pipeline {
    /// Applies what people committed since: records, the roster, and the store's catalogue. Every batch begins with it.
    /// It may take long, so callers run it beforehand, while no batch is in progress.
    ///
    /// # Errors
    /// If the store or the index cannot be read; the next batch retries.
    pub fn keep_up(&mut self, now: Timestamp) -> Result<(), PipelineError> {
        let head = self.outside.store.head()?;
        let behind = self.index_behind || head != self.memory.head;
        self.check_history(head.as_ref())?;
        // A catalogue waiting for its embedder is no reason to reload the working set.
        if behind || (self.renewing.is_due(now) && self.renew(head.as_ref(), now)?) {
            self.take_up(now)?;
        }
        Ok(())
    }

    /// Joins commits made elsewhere, which the store has but its branch does not, and applies them.
    ///
    /// # Errors
    /// As [`Pipeline::keep_up`]; and if the store cannot be written.
    pub fn join(&mut self, theirs: &CommitId, now: Timestamp) -> Result<JoinOutcome, PipelineError> {
        // Nothing is added to a branch that was turned back.
        self.keep_up(now)?;
        let outcome = self.outside.store.join(theirs)?;
        self.keep_up(now)?;
        Ok(outcome)
    }

    /// Sets the last acknowledged commit, as far as it is remembered elsewhere: the store must contain it. If it is
    /// exactly the branch's head, people may have reset the branch to it and declared so.
    pub fn acknowledged(&mut self, commit: CommitId) {
        self.acknowledged = Some(commit);
    }

    /// Fails if the store's branch was removed or reset so that acknowledged commits are missing: nothing may silently
    /// be written on top of it.
    fn check_history(&mut self, head: Option<&CommitId>) -> Result<(), PipelineError> {
        if head.is_some() && head == self.acknowledged.as_ref() {
            if head != self.memory.head.as_ref() {
                // It is loaded as if it were the first one.
                self.memory.head = None;
                self.memory.past = None;
            }
            self.acknowledged = None;
            return Ok(());
        }
        for known in [&self.acknowledged, &self.memory.head].into_iter().flatten() {
            let contains = head.map(|head| self.outside.store.contains(head, known)).transpose()?;
            if contains != Some(true) {
                return Err(PipelineError::TurnedBack { head: head.cloned(), known: known.clone() });
            }
            if let Some(head) = head {
                self.check_rosters(head, known)?;
            }
        }
        // From here on the working set knows.
        self.acknowledged = None;
        Ok(())
    }

    /// Fails if a merge in the wrong direction hides rosters that were in force from the first-parent history.
    fn check_rosters(&self, head: &CommitId, known: &CommitId) -> Result<(), PipelineError> {
        let store: &dyn StoreReader = self.outside.store.as_ref();
        if store.trace(Some(known), head, &[])?.root.is_none() {
            return Ok(());
        }
        let asked = self.settings.asked();
        let (before, now) = (Past::of(store, known, &asked, None)?, Past::of(store, head, &asked, None)?);
        let Some(before) = &before.succession else { return Ok(()) };
        match &now.succession {
            Some(now) if now.continues(before) => Ok(()),
            _ => Err(PipelineError::RostersRewritten { head: head.clone(), since: before.in_force().since.clone() }),
        }
    }

    /// Syncs with the store: catalogue and index to the head, the working set from the index.
    pub(super) fn take_up(&mut self, now: Timestamp) -> Result<(), PipelineError> {
        // Until this is done, the working set must not be used.
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
        let Deps { store, index, understanding, knowledge, recent, .. } = &mut self.outside;
        if let Some(head) = head {
            reindex::catch_up(store.as_ref(), index.open.as_mut(), understanding.as_ref(), head)?;
        }
        let mut memory = self.memory.clone();
        memory.load(index.open.as_ref(), understanding.as_ref(), head.cloned(), now)?;
        let set_aside = index.open.unreadable()?;
        metrics::unreadable_records(set_aside.len());
        for (path, why) in &set_aside {
            tracing::error!(path, why, "a file of the store is invalid and was set aside");
        }
        memory.stops = Arc::new(approval_history::stops_at(store.as_ref(), head)?);
        if let Some(head) = head {
            take_up_past(&mut memory, &self.memory, store.as_ref(), head, &self.settings.asked())?;
        }
        memory.remarks.fill(knowledge.as_mut())?;
        recent.clear();
        self.memory = memory;
        self.learned.put_up(self.memory.channels.actions.learning().clone());
        Ok(())
    }

    /// Activates the store's catalogue at the head if it changed and is usable. After `true`, the index is closed and
    /// the working set is empty: both must be reloaded before anything else.
    fn renew(&mut self, head: Option<&CommitId>, now: Timestamp) -> Result<bool, PipelineError> {
        let Some(head) = head else { return Ok(false) };
        let Some(renewed) = self.renewing.look(self.outside.store.as_ref(), head, now)? else { return Ok(false) };
        self.index_behind = true;
        let ReloadedAnalyzer { understanding, fittings: AnalyzerParts { index, knowledge, base_prompts }, stand_in } =
            renewed;
        tracing::info!(
            commit = head.short(),
            "the store's catalogue has changed: the index is rebuilt with it, and batches are pending until then"
        );
        self.settings.base_prompts = base_prompts;
        self.memory.remarks = CommentVectors::new(self.settings.policy(&understanding));
        self.outside.knowledge = knowledge;
        self.outside.index.change(index, stand_in);
        self.outside.understanding = Arc::clone(&understanding);
        self.renewing.in_use().set(understanding);
        Ok(true)
    }
}

/// Applies the history and who may decide. If the roster cannot be read and there was none before, no one can decide;
/// rejections, the log and `doctor` report why.
fn take_up_past(
    memory: &mut WorkingSet,
    before: &WorkingSet,
    store: &dyn StoreReader,
    head: &CommitId,
    asked: &ApprovalRequirements,
) -> Result<(), PipelineError> {
    let past = Past::of(store, head, asked, before.past.as_deref())?;
    (memory.roster, memory.roster_error) = match past.roster(store)? {
        Ok(roster) => (roster, None),
        Err(error) => (Arc::default(), Some(error.lines().next().unwrap_or_default().to_owned())),
    };
    // At a start, nothing was reported yet.
    let told = before.past.as_deref().filter(|_| before.head.is_some());
    tell(&past, told, memory.roster_error.as_deref());
    let unreadable = past.succession.as_ref().and_then(|succession| succession.unreadable.clone());
    memory.roster_unreadable = memory.roster_error.clone().or(unreadable);
    metrics::roster_unreadable(memory.roster_unreadable.is_some());
    memory.roster_reviews.clear();
    memory.past = Some(Arc::new(past));
    Ok(())
}

/// Reports what has happened to the roster since.
fn tell(past: &Past, before: Option<&Past>, error: Option<&str>) {
    let unreadable = |past: &Past| past.succession.as_ref().and_then(|succession| succession.unreadable.clone());
    let path = layout::ROSTER;
    if let Some(error) = error {
        tracing::error!(path, error, "the roster cannot be read; no decisions are possible until it is fixed");
    } else if let Some(error) = unreadable(past).filter(|why| before.and_then(unreadable).as_ref() != Some(why)) {
        tracing::error!(path, error, "the roster cannot be read; the previous one stays in force until it is fixed");
    }
    if let Some(link) = past.in_force().filter(|link| before.and_then(Past::in_force) != Some(link)) {
        let (people, approvers) = (link.roster.reviewers.len(), link.roster.approvers());
        let (commit, hash) = (link.since.short(), &link.hash);
        if link.basis == RosterBasis::Trusted {
            tracing::warn!(commit, hash, people, approvers, "a roster is in force because the configuration trusts it");
        } else {
            tracing::info!(commit, hash, people, approvers, basis = ?link.basis, "a roster is in force");
        }
    }
    let waiting = |past: &Past| past.succession.as_ref().and_then(|succession| succession.waiting.clone());
    let waits = waiting(past);
    metrics::roster_waits(waits.is_some());
    if let Some(waiting) = waits.filter(|found| before.and_then(waiting).as_ref() != Some(found)) {
        tracing::warn!(
            commit = waiting.commit.short(),
            hash = waiting.hash,
            changes = waiting.changes.join("; "),
            needed = waiting.needed,
            "a roster change is pending approval; the previous roster stays in force (`feedbackd roster`)"
        );
    }
}
