//! The most valuable questions about clustering: requested by the page, found outside the pipeline, and cached until
//! the store changes.
//!
//! A search runs only on request, and never twice for one commit. While entries flow, the last answer is shown without
//! the questions answered since. Searching takes a fifth of one core's time at most.

use crate::domain::clusters::question::Inquiry;
use crate::queries::{Queries, QueryError};
use crate::text::ids::CommitId;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of questions found at once; skipping one shows the next.
pub const FOUND: usize = 12;
/// Number of questions shown at once; their answers change which come next.
pub const SHOWN: usize = 3;
/// Maximum wait for a caller when nothing is known, or after a review, when its author expects the next question.
const PATIENCE: Duration = Duration::from_secs(1);
/// Maximum wait if an answer exists but does not cover the latest comments.
const GLANCE: Duration = Duration::from_millis(20);
/// Maximum number of concurrent waiters; others get what is known. A waiting page blocks others from being built.
const WAITING: u32 = 1;
/// Pause after a search, as a multiple of its duration.
const REST: u32 = 4;
/// Minimum pause.
const LEAST_REST: Duration = Duration::from_secs(1);
/// A review missed by a search may be dated earlier than the search's start by up to this much.
const LATE: SignedDuration = SignedDuration::from_mins(5);

/// The known questions, shared by callers and the searcher.
#[derive(Default)]
pub struct Questions {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The pipeline's commit.
    head: Option<CommitId>,
    /// Whether questions were requested since the last search began.
    wanted: bool,
    waiting: u32,
    /// Number of searches begun and finished.
    begun: u64,
    over: u64,
    /// Whether a review was received since the last search began.
    reviewed: bool,
    last: Option<LastSearch>,
    rest_until: Option<Instant>,
    ended: bool,
}

/// The result of the last search.
struct LastSearch {
    found: Arc<[Inquiry]>,
    /// The commit it applies to.
    head: Option<CommitId>,
    /// When the search began.
    at: Timestamp,
    /// Whether a review was received since.
    reviewed: bool,
}

/// What is known at the time of a request.
#[derive(Clone, Debug, Default)]
pub struct QuestionContext {
    /// The questions found, most valuable first; none before the first search.
    pub found: Option<Arc<[Inquiry]>>,
    /// Whether it reflects the current store; otherwise a search is under way.
    pub is_fresh: bool,
    /// Reviews since then may have answered some of it.
    reviewed_since: Option<Timestamp>,
}

impl QuestionContext {
    /// Returns the questions still open, about one agent or about all.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn open(&self, queries: &Queries<'_>, agent: Option<&str>) -> Result<Option<Vec<Inquiry>>, QueryError> {
        let Some(found) = &self.found else { return Ok(None) };
        let reviews = match self.reviewed_since {
            Some(since) => {
                let mut reviews = queries.index.reviews()?;
                reviews.retain(|(_, review)| review.timestamp >= since - LATE);
                reviews
            }
            None => Vec::new(),
        };
        let is_open = |inquiry: &&Inquiry| {
            agent.is_none_or(|agent| agent == inquiry.agent())
                && !reviews.iter().any(|(_, review)| inquiry.is_touched_by(&review.action))
        };
        Ok(Some(found.iter().filter(is_open).cloned().collect()))
    }
}

impl State {
    fn is_fresh(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.head == self.head)
    }

    /// Returns how long to wait before the next search. After a review it starts immediately, because its author
    /// expects the next question.
    fn rest(&self, now: Instant) -> Option<Duration> {
        let rest = self.rest_until?.checked_duration_since(now)?;
        let rests = self.last.as_ref().is_some_and(|last| !last.reviewed) && !rest.is_zero();
        rests.then_some(rest)
    }
}

impl Questions {
    /// Returns what is known. Waits briefly if it does not reflect the current store.
    pub fn ask(&self) -> QuestionContext {
        let mut state = self.state();
        if !state.is_fresh() {
            state.wanted = true;
            self.changed.notify_all();
            // A search that began earlier may have missed later commits.
            let needed = state.begun + 1;
            if state.rest(Instant::now()).is_none() && state.waiting < WAITING {
                state.waiting += 1;
                let patience = if state.last.as_ref().is_none_or(|last| last.reviewed) { PATIENCE } else { GLANCE };
                let waits = |s: &mut State| !s.ended && !s.is_fresh() && s.over < needed;
                let waited = self.changed.wait_timeout_while(state, patience, waits);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                state.waiting -= 1;
            }
        }
        let is_fresh = state.is_fresh();
        match &state.last {
            Some(last) => QuestionContext {
                found: Some(Arc::clone(&last.found)),
                is_fresh,
                reviewed_since: (!is_fresh && last.reviewed).then_some(last.at),
            },
            None => QuestionContext::default(),
        }
    }

    /// Sets the pipeline's commit, and whether it received reviews on the way there.
    pub fn stands_at(&self, head: Option<&CommitId>, reviewed: bool) {
        let mut state = self.state();
        if state.head.as_ref() != head {
            state.head = head.cloned();
        }
        if reviewed {
            state.reviewed = true;
            if let Some(last) = state.last.as_mut() {
                last.reviewed = true;
            }
            self.changed.notify_all();
        }
    }

    /// Waits until a search is due; returns false on shutdown.
    pub fn wait(&self) -> bool {
        let mut state = self.state();
        loop {
            if state.ended {
                return false;
            }
            let rest = state.rest(Instant::now());
            state = match rest {
                None if state.wanted && !state.is_fresh() => break,
                // Further requests and reviews wake it.
                Some(rest) if state.wanted => {
                    self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
                }
                _ => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        state.wanted = false;
        state.reviewed = false;
        state.begun += 1;
        true
    }

    /// Stores the result of a search of this commit, begun at `at`, with its duration.
    pub fn found(&self, found: Vec<Inquiry>, head: Option<CommitId>, at: Timestamp, took: Duration) {
        let mut state = self.state();
        let reviewed = state.reviewed;
        state.last = Some(LastSearch { found: found.into(), head, at, reviewed });
        self.over(state, took);
    }

    /// Records a failed search; the next request starts another.
    pub fn failed(&self, took: Duration) {
        self.over(self.state(), took);
    }

    fn over(&self, mut state: MutexGuard<'_, State>, took: Duration) {
        state.over += 1;
        state.rest_until = Instant::now().checked_add((took * REST).max(LEAST_REST));
        self.changed.notify_all();
    }

    /// Stops searching.
    pub fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::sample::moment;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn commit(name: char) -> CommitId {
        CommitId(name.to_string().repeat(40))
    }

    /// Runs with a searcher that finds nothing, at the pipeline's current commit; returns the number of searches.
    fn looked(questions: &Questions, asking: impl FnOnce()) -> u32 {
        let looks = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while questions.wait() {
                    looks.fetch_add(1, Ordering::SeqCst);
                    let head = questions.state().head.clone();
                    questions.found(Vec::new(), head, moment(0), Duration::ZERO);
                }
            });
            asking();
            questions.end();
        });
        looks.into_inner()
    }

    #[test]
    fn nobody_looks_before_somebody_asks_and_once_for_a_commit() {
        let questions = Questions::default();
        assert_eq!(looked(&questions, || questions.stands_at(Some(&commit('a')), true)), 0);
        let questions = Questions::default();
        questions.stands_at(Some(&commit('a')), false);
        let looks = looked(&questions, || {
            for _ in 0..3 {
                let known = questions.ask();
                assert!(known.is_fresh && known.found.is_some_and(|found| found.is_empty()));
            }
        });
        assert_eq!(looks, 1);
    }

    #[test]
    fn while_entries_flow_the_last_answer_is_shown_and_a_review_has_it_looked_for_again() {
        let questions = Questions::default();
        questions.stands_at(Some(&commit('a')), false);
        let looks = looked(&questions, || {
            assert!(questions.ask().is_fresh);
            // It pauses: the known answer is returned at once.
            questions.stands_at(Some(&commit('b')), false);
            let known = questions.ask();
            assert!(!known.is_fresh && known.found.is_some() && known.reviewed_since.is_none());
            questions.stands_at(Some(&commit('c')), true);
            assert!(questions.ask().is_fresh, "whoever reviewed waits for what comes next");
        });
        assert_eq!(looks, 2);
    }

    #[test]
    fn where_nobody_looks_nothing_is_known() {
        let questions = Questions::default();
        questions.end();
        assert!(questions.ask().found.is_none());
        assert!(!questions.wait());
    }
}
