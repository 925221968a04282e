//! Which questions about the grouping pay most, for whoever cannot look for them: asked on the page, looked for beside the
//! pipeline, and kept until the store moves on.
//!
//! Nobody looks before somebody asks, and never twice for one commit. While entries flow the last answer is shown, without
//! what was answered since: looking takes a fifth of one core's time at most.

use crate::domain::clusters::question::Inquiry;
use crate::queries::{Queries, QueryError};
use crate::text::ids::CommitId;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many are found at once: whoever skips one sees the next.
pub const FOUND: usize = 12;
/// How many are shown at once: answers to these change which come next.
pub const SHOWN: usize = 3;
/// So long somebody who asks waits where nothing is known, or after a review: its person waits for what comes next.
const PATIENCE: Duration = Duration::from_secs(1);
/// So long where there is an answer, which is only not of the latest remarks.
const GLANCE: Duration = Duration::from_millis(20);
/// So many wait at the same time; the others are told what is known. A page that waits keeps others from being made.
const WAITING: u32 = 1;
/// After a look there is none for so many times its duration.
const REST: u32 = 4;
/// And for so long at least.
const LEAST_REST: Duration = Duration::from_secs(1);
/// So much earlier than a look began may be written on a review that it did not see.
const LATE: SignedDuration = SignedDuration::from_mins(5);

/// What is known of the questions, between those who ask and the one who looks.
#[derive(Default)]
pub struct Questions {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Where the pipeline stands.
    head: Option<CommitId>,
    /// Whether somebody asked since the last look began.
    wanted: bool,
    waiting: u32,
    /// How many looks began, and how many are over.
    begun: u64,
    over: u64,
    /// Whether a review was taken in since the last look began.
    reviewed: bool,
    last: Option<Last>,
    rest_until: Option<Instant>,
    ended: bool,
}

/// What the last look found.
struct Last {
    found: Arc<[Inquiry]>,
    /// The commit that it is true of.
    head: Option<CommitId>,
    /// When the look began.
    at: Timestamp,
    /// Whether a review was taken in since.
    reviewed: bool,
}

/// What is known when somebody asks.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What was found, what pays most first; nothing where nobody looked yet.
    pub found: Option<Arc<[Inquiry]>>,
    /// Whether that is of the store as it stands; else it is being looked for.
    pub is_fresh: bool,
    /// Reviews since then may have answered some of it.
    reviewed_since: Option<Timestamp>,
}

impl Known {
    /// What is still open of it, about one agent or about all.
    ///
    /// # Errors
    /// When the index cannot be read.
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

    /// How long there is no look yet. After a review there is one at once: its person waits for what comes next.
    fn rest(&self, now: Instant) -> Option<Duration> {
        let rest = self.rest_until?.checked_duration_since(now)?;
        let rests = self.last.as_ref().is_some_and(|last| !last.reviewed) && !rest.is_zero();
        rests.then_some(rest)
    }
}

impl Questions {
    /// What is known. Waits for a moment where it is not of the store as it stands.
    pub fn ask(&self) -> Known {
        let mut state = self.state();
        if !state.is_fresh() {
            state.wanted = true;
            self.changed.notify_all();
            // A look that began before may not have seen what was committed since.
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
            Some(last) => Known {
                found: Some(Arc::clone(&last.found)),
                is_fresh,
                reviewed_since: (!is_fresh && last.reviewed).then_some(last.at),
            },
            None => Known::default(),
        }
    }

    /// Says where the pipeline stands, and whether it took reviews in on the way there.
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

    /// Waits until somebody should look; false where nobody should any more.
    pub fn wait(&self) -> bool {
        let mut state = self.state();
        loop {
            if state.ended {
                return false;
            }
            let rest = state.rest(Instant::now());
            state = match rest {
                None if state.wanted && !state.is_fresh() => break,
                // Who asks meanwhile, and reviews, wake it.
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

    /// Takes what was found: true of this commit, by a look that began at `at` and took so long.
    pub fn found(&self, found: Vec<Inquiry>, head: Option<CommitId>, at: Timestamp, took: Duration) {
        let mut state = self.state();
        let reviewed = state.reviewed;
        state.last = Some(Last { found: found.into(), head, at, reviewed });
        self.over(state, took);
    }

    /// A look failed: the next one is made when somebody asks again.
    pub fn failed(&self, took: Duration) {
        self.over(self.state(), took);
    }

    fn over(&self, mut state: MutexGuard<'_, State>, took: Duration) {
        state.over += 1;
        state.rest_until = Instant::now().checked_add((took * REST).max(LEAST_REST));
        self.changed.notify_all();
    }

    /// Nobody looks any more.
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

    /// Runs with somebody who looks, at wherever the pipeline stands, and finds nothing; says how often they looked.
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
            // It rests: what is known is said at once.
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
