//! Reads a repository's history, resuming where it stopped.

use super::client::{ApiClient, HistoryError};
use super::cursor::Cursor;
use super::pull_requests;
use super::summary::PullRequestSummary;
use super::tally::{Tally, Watcher};
use crate::domain::intake::forge::{Part, Pull, group, is_nothing, say};
use crate::forges::deliveries::{Forge, Forges};
use crate::ports::{Clock, ForgeApi, PrivateFile};
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;

/// The period whose reviews are read.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Start time, inclusive.
    pub since: Timestamp,
    /// End time, exclusive.
    pub until: Option<Timestamp>,
}

/// A repository of a forge, and how far its history was read.
pub struct History {
    /// Where reviews are submitted, and the gathering period.
    pub forges: Arc<Forges>,
    /// Determines whose comments count.
    pub forge: Forge,
    /// `owner/name`; on Gerrit the project
    pub repository: String,
    pub api: Box<dyn ForgeApi>,
    /// The progress note.
    pub note: Box<dyn PrivateFile>,
    pub clock: Arc<dyn Clock>,
}

/// Receiver of what is read.
enum Taker<'t> {
    /// The stream that the daemon reads; its progress is noted.
    Stream,
    /// A callback.
    Listener(&'t mut dyn FnMut(&Value) -> bool),
}

impl History {
    /// Reads what changed and submits it; each pull request is noted once all of it is durable. On an error the tally
    /// shows the progress.
    ///
    /// # Errors
    /// If the forge, Redis or the note fails. A repeated call resumes.
    pub fn import(&self, span: Span, watcher: &dyn Watcher, tally: &mut Tally) -> Result<(), HistoryError> {
        self.go(span, watcher, tally, &mut Taker::Stream)
    }

    /// Same as [`History::import`], without submitting or noting anything: `hear` gets the decisions in the same order
    /// and returns whether it wants more.
    ///
    /// # Errors
    /// If the forge or the note fails, or `hear` wants no more.
    pub fn look(
        &self,
        span: Span,
        watcher: &dyn Watcher,
        tally: &mut Tally,
        hear: &mut dyn FnMut(&Value) -> bool,
    ) -> Result<(), HistoryError> {
        self.go(span, watcher, tally, &mut Taker::Listener(hear))
    }

    /// Returns up to when a run would skip what was read before; `None` if it would read everything since then.
    ///
    /// # Errors
    /// If the note cannot be read.
    pub fn reads_from(&self, since: Timestamp) -> Result<Option<Timestamp>, HistoryError> {
        let cursor = Cursor::noted(self.note.read()?.as_deref(), since);
        Ok((cursor.at > since).then_some(cursor.at))
    }

    /// Returns from when on history was read, if noted.
    ///
    /// # Errors
    /// If the note cannot be read.
    pub fn noted_since(&self) -> Result<Option<Timestamp>, HistoryError> {
        Ok(Cursor::of(self.note.read()?.as_deref()).map(|cursor| cursor.since))
    }

    fn go(
        &self,
        span: Span,
        watcher: &dyn Watcher,
        tally: &mut Tally,
        taker: &mut Taker<'_>,
    ) -> Result<(), HistoryError> {
        let asking = ApiClient::new(self.api.as_ref(), self.clock.as_ref(), watcher);
        let gone = self.through(span, &asking, watcher, tally, taker);
        tally.requests = asking.requests();
        gone
    }

    fn through(
        &self,
        span: Span,
        asking: &ApiClient<'_>,
        watcher: &dyn Watcher,
        tally: &mut Tally,
        taker: &mut Taker<'_>,
    ) -> Result<(), HistoryError> {
        let hand = matches!(taker, Taker::Stream);
        let noted = self.note.read()?;
        let mut cursor = Cursor::noted(noted.as_deref(), span.since);
        cursor.noted.repository.clone_from(&self.repository);
        if hand && noted.is_none() {
            // If even the first request fails, a later run starts at the same moment.
            self.keep(&cursor)?;
        }
        let (list, etag) =
            pull_requests::list(asking, self.forge.kind, &self.repository, cursor.at, cursor.etag.as_deref())?;
        // A pull request opened later has nothing from that period.
        let early =
            |one: &PullRequestSummary| span.until.zip(one.created).is_none_or(|(until, created)| created < until);
        let list: Vec<PullRequestSummary> =
            list.into_iter().filter(|one| cursor.wants(&one.number, one.updated) && early(one)).collect();
        watcher.listed(list.len());
        for one in &list {
            let before = tally.skipped.clone();
            match pull_requests::read(asking, &self.forge, &self.repository, one) {
                Ok(pull) => self.take(&pull, span, asking, tally, taker)?,
                Err(HistoryError::Missing) => tally.gone += 1,
                // The others still count.
                Err(HistoryError::TooLarge(_)) => tally.skip_for_size(),
                Err(error) => return Err(error),
            }
            tally.pull_requests += 1;
            tally.requests = asking.requests();
            if hand {
                cursor.advance(&one.number, one.updated, self.clock.now());
                for (reason, count) in &tally.skipped {
                    let more = count - before.get(reason).copied().unwrap_or_default();
                    if more > 0 {
                        *cursor.noted.left_out.entry((*reason).to_owned()).or_default() += more;
                    }
                }
                self.keep(&cursor)?;
            }
            watcher.read(tally);
        }
        if hand {
            // If the latest change is not settled, the next run reads the whole list.
            cursor.etag = etag.filter(|_| list.last().is_none_or(|last| !cursor.wants(&last.number, last.updated)));
            self.keep(&cursor)?;
        }
        Ok(())
    }

    /// Turns the content of a pull request into decisions.
    fn take(
        &self,
        pull: &Pull,
        span: Span,
        asking: &ApiClient<'_>,
        tally: &mut Tally,
        taker: &mut Taker<'_>,
    ) -> Result<(), HistoryError> {
        let mut parts: Vec<Part> = Vec::new();
        for (delivery, said) in say(self.forge.kind, pull) {
            match self.forge.hear(&delivery, said) {
                Ok(part) => {
                    let at = part.review.as_ref().and_then(|review| review.at);
                    let outside = |at: Timestamp| at < span.since || span.until.is_some_and(|until| at >= until);
                    if at.is_some_and(outside) {
                        tally.skip_for_time();
                        continue;
                    }
                    let now = self.clock.now();
                    let admitted = self.forge.admit(part, &mut |members, repository, by| {
                        members.standing_by(repository, by, now, &mut |address| asking.answered(address, None))
                    })?;
                    match admitted {
                        Ok(part) => parts.push(part),
                        Err(reason) => tally.skip(reason),
                    }
                }
                Err(reason) if is_nothing(reason) => {}
                Err(reason) => tally.skip(reason),
            }
        }
        for review in group(parts, self.forges.gather) {
            tally.count(&review);
            let now = self.clock.now();
            match taker {
                Taker::Stream if self.forges.hand_in(&review, now)? => tally.handed_over += 1,
                Taker::Stream => tally.known += 1,
                Taker::Listener(hear) => {
                    if !self.forges.decisions_of(&review, now).iter().all(&mut **hear) {
                        return Err(HistoryError::Stopped);
                    }
                }
            }
        }
        Ok(())
    }

    fn keep(&self, cursor: &Cursor) -> Result<(), HistoryError> {
        let text =
            serde_json::to_string(cursor).map_err(|_| HistoryError::Shape("the import cursor cannot be written"))?;
        Ok(self.note.change(&mut |_| Some(text.clone()))?)
    }
}
