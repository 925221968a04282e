//! Keeps the copy at a Git host up to date, behind the commits and never in their way, and takes up what people merge
//! there.
//!
//! Pushes are plain, so the host takes only commits on top of its own. If the host has others, they are fetched first and
//! joined by the writer. A branch that was rewritten there, and files that both sides changed, are left to people.

use super::schedule::Schedule;
use crate::metrics::{self, RemotePush};
use crate::ports::{GiveUp, JoinOutcome, PushOutcome, Remote, RemoteHead, StoreError, StoreReader};
use crate::text::ids::CommitId;
use jiff::Timestamp;
use std::time::{Duration, Instant};

/// Most files named in a message.
const NAMED: usize = 5;

/// Has the writer join a commit of the host; an error is in words.
pub type Join<'a> = &'a mut dyn FnMut(&CommitId) -> Result<JoinOutcome, String>;

/// How the copy stands, for `/ready`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteReport {
    /// Why it is not kept up to date, in words; `None` if it is.
    pub trouble: Option<String>,
    /// How far it is, in words.
    pub told: String,
}

/// The copy at the host.
pub struct RemoteCopy {
    remote: Box<dyn Remote>,
    store: Box<dyn StoreReader + Send>,
    pushes: Schedule,
    fetches: Schedule,
    /// What the host has, or had when last asked; `None` if it has no such branch.
    there: Option<CommitId>,
    /// Whether the host was asked since the start.
    is_known: bool,
    /// Why nothing may be pushed until people have done something.
    held: Option<String>,
    push_trouble: Option<String>,
    fetch_trouble: Option<String>,
    /// The commits that the host lacks, as far as counted, and since when.
    behind: Behind,
}

#[derive(Default)]
struct Behind {
    from: Option<CommitId>,
    to: Option<CommitId>,
    commits: usize,
    /// The time of the oldest, in seconds since 1970.
    since: i64,
}

impl RemoteCopy {
    /// Connects nothing yet.
    pub fn new(
        remote: Box<dyn Remote>,
        store: Box<dyn StoreReader + Send>,
        push_every: Duration,
        fetch_every: Duration,
        now: Instant,
    ) -> RemoteCopy {
        // Otherwise a host that is away at the start would seem to lack everything.
        let there = remote.known().ok().flatten();
        RemoteCopy {
            remote,
            store,
            pushes: Schedule::new(push_every, now),
            fetches: Schedule::new(fetch_every, now),
            there,
            is_known: false,
            held: None,
            push_trouble: None,
            fetch_trouble: None,
            behind: Behind::default(),
        }
    }

    /// Does what is due: a fetch, a push, or nothing.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn round(&mut self, join: Join<'_>, give_up: GiveUp<'_>) -> Result<(), StoreError> {
        if self.fetches.is_due(Instant::now()) {
            self.fetch(join, give_up)?;
        }
        let Some(head) = self.store.head()? else { return Ok(()) };
        let may = self.is_known && self.held.is_none() && self.pushes.is_due(Instant::now());
        if may && self.there.as_ref() != Some(&head) && self.push(&head, give_up) == Some(PushOutcome::Behind) {
            self.fetch(join, give_up)?;
        }
        Ok(())
    }

    /// Pushes what is left, due or not: the daemon stops. Returns whether the host has everything.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn finish(&mut self, give_up: GiveUp<'_>) -> Result<bool, StoreError> {
        let Some(head) = self.store.head()? else { return Ok(true) };
        if self.there.as_ref() == Some(&head) {
            return Ok(true);
        }
        // Before the first fetch, the branch there may have been turned back.
        Ok(self.is_known && self.held.is_none() && !give_up() && self.push(&head, give_up) == Some(PushOutcome::Done))
    }

    fn fetch(&mut self, join: Join<'_>, give_up: GiveUp<'_>) -> Result<(), StoreError> {
        let began = Instant::now();
        match self.remote.fetch(give_up) {
            Ok(found) => {
                self.fetches.worked(began);
                self.is_known = true;
                let (there, held) = match found {
                    RemoteHead::Absent => (None, None),
                    RemoteHead::At(commit) => {
                        let held = self.take_up(&commit, join)?;
                        (Some(commit), held)
                    }
                    RemoteHead::Rewritten { known } => (self.there.take(), Some(rewritten(&known))),
                };
                self.there = there;
                note(&mut self.held, held);
                note(&mut self.fetch_trouble, None);
            }
            Err(error) => {
                self.fetches.failed(Instant::now());
                note(&mut self.fetch_trouble, Some(format!("cannot read from the Git host: {error}")));
            }
        }
        Ok(())
    }

    /// Joins what the host has and the store lacks. Returns why that is left to people.
    fn take_up(&self, theirs: &CommitId, join: Join<'_>) -> Result<Option<String>, StoreError> {
        let head = self.store.head()?;
        if head.map(|head| self.store.contains(&head, theirs)).transpose()? == Some(true) {
            return Ok(None);
        }
        Ok(match join(theirs) {
            Ok(JoinOutcome::Contained) => None,
            Ok(JoinOutcome::Forwarded(commit)) => {
                tracing::info!(commit = commit.short(), "took up commits of the Git host");
                None
            }
            Ok(JoinOutcome::Merged(commit)) => {
                tracing::info!(commit = commit.short(), theirs = theirs.short(), "merged commits of the Git host");
                None
            }
            Ok(JoinOutcome::Conflict(paths)) => {
                let more = paths.len().saturating_sub(NAMED);
                let more = if more == 0 { String::new() } else { format!(" and {more} more") };
                let paths = paths.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
                Some(format!(
                    "the store and the Git host have both changed {paths}{more}; nothing is pushed until people merge \
                     them: in a clone of the store, `git pull` from the host, resolve, and push to the store"
                ))
            }
            Ok(JoinOutcome::Unrelated) => Some(
                "the branch at the Git host has no commit in common with the store; set remote.url or remote.branch to \
                 an empty repository or a new branch"
                    .to_owned(),
            ),
            Err(why) => Some(format!("the commits of the Git host cannot be taken up: {why}")),
        })
    }

    /// Pushes a commit; `None` if that failed.
    fn push(&mut self, head: &CommitId, give_up: GiveUp<'_>) -> Option<PushOutcome> {
        let began = Instant::now();
        let outcome = self.remote.push(head, give_up);
        let (counted, trouble) = match &outcome {
            Ok(PushOutcome::Done) => (RemotePush::Ok, None),
            Ok(PushOutcome::Behind) => (RemotePush::Behind, None),
            Ok(PushOutcome::Refused(words)) => {
                (RemotePush::Refused, Some(format!("the Git host refuses the push: {words}")))
            }
            Err(error) => (RemotePush::Failed, Some(format!("cannot push to the Git host: {error}"))),
        };
        metrics::remote_push(counted);
        if trouble.is_some() {
            self.pushes.failed(Instant::now());
        } else {
            self.pushes.worked(began);
        }
        note(&mut self.push_trouble, trouble);
        if outcome.as_ref().is_ok_and(|outcome| *outcome == PushOutcome::Done) {
            tracing::debug!(commit = head.short(), "pushed to the Git host");
            self.there = Some(head.clone());
        }
        outcome.ok()
    }

    /// Counts what the host lacks, and says how the copy stands.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn report(&mut self, now: Timestamp) -> Result<RemoteReport, StoreError> {
        let head = self.store.head()?;
        if (&self.behind.from, &self.behind.to) != (&self.there, &head) {
            let missing = match &head {
                Some(head) if self.there.as_ref() != Some(head) => self.store.commits(self.there.as_ref(), head)?,
                _ => Vec::new(),
            };
            self.behind = Behind {
                from: self.there.clone(),
                to: head,
                commits: missing.len(),
                since: missing.first().map_or(0, |oldest| oldest.seconds),
            };
        }
        let commits = self.behind.commits;
        let seconds = if commits == 0 { 0 } else { now.as_second().saturating_sub(self.behind.since).max(0) };
        metrics::remote_behind(commits, seconds.unsigned_abs());
        let trouble = self.held.clone().or_else(|| self.push_trouble.clone()).or_else(|| self.fetch_trouble.clone());
        let told = match commits {
            _ if !self.is_known => "the Git host has not been asked yet".to_owned(),
            0 => "the copy at the Git host is up to date".to_owned(),
            1 => "the copy at the Git host lacks 1 commit".to_owned(),
            n => format!("the copy at the Git host lacks {n} commits"),
        };
        Ok(RemoteReport { trouble: trouble.map(|why| format!("{why} ({told})")), told })
    }
}

fn rewritten(known: &CommitId) -> String {
    format!(
        "the branch at the Git host was rewritten: it no longer contains {}. Restore it there; or, to accept it, remove \
         refs/remotes/origin in the store with `git update-ref -d`",
        known.short()
    )
}

/// Replaces a trouble, and logs a new one, or its end.
fn note(trouble: &mut Option<String>, new: Option<String>) {
    if *trouble == new {
        return;
    }
    match &new {
        Some(why) => tracing::warn!("{why}"),
        None => tracing::info!("the Git host can be used again"),
    }
    *trouble = new;
}
