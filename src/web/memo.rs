//! A cache of the last result: people view pages often, and the result changes only with the store.

use crate::text::ids::CommitId;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum age, for the sake of results that depend on the time of day; another commit ends it sooner.
const HOLDS: Duration = Duration::from_mins(10);

/// The last result: of what (`K`), and at which commit.
pub struct Memo<K, T> {
    made: Mutex<Option<MemoEntry<K, T>>>,
    ease: u32,
}

struct MemoEntry<K, T> {
    of: K,
    commit: Option<CommitId>,
    it: Arc<T>,
    at: Instant,
    took: Duration,
}

impl<K, T> Default for Memo<K, T> {
    fn default() -> Self {
        Memo::easy(0)
    }
}

impl<K, T> Memo<K, T> {
    /// Creates a cache that may lag behind the store by at most this multiple of the computation time. Computing then
    /// never takes more than that share of the daemon's time, and quick results are practically current.
    pub fn easy(ease: u32) -> Memo<K, T> {
        Memo { made: Mutex::new(None), ease }
    }
}

impl<K: PartialEq, T> Memo<K, T> {
    /// Returns the result for this input and commit, recomputed if the last one does not hold.
    ///
    /// # Errors
    /// If it cannot be computed.
    pub fn at<E>(&self, of: K, commit: Option<CommitId>, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        // Held during the computation: concurrent callers need the same.
        let mut last = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let began = Instant::now();
        if let Some(made) = last.as_ref().filter(|made| made.of == of) {
            let holds = if made.commit == commit { HOLDS } else { made.took.saturating_mul(self.ease) };
            if began.duration_since(made.at) < holds {
                return Ok(Arc::clone(&made.it));
            }
        }
        let it = Arc::new(make()?);
        let took = began.elapsed();
        *last = Some(MemoEntry { of, commit, it: Arc::clone(&it), at: Instant::now(), took });
        Ok(it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(last: &Memo<&str, u32>, of: &'static str, commit: &str, number: u32) -> u32 {
        let make = || {
            let began = Instant::now();
            while began.elapsed().is_zero() {}
            Ok::<_, ()>(number)
        };
        *last.at(of, Some(CommitId(commit.repeat(40))), make).expect("made")
    }

    #[test]
    fn it_is_made_once_for_each_commit() {
        let last = Memo::default();
        let seen = [("a", 1), ("a", 2), ("b", 3)].map(|(commit, number)| made(&last, "coder", commit, number));
        assert_eq!(seen, [1, 1, 3]);
        assert_eq!(made(&last, "tester", "b", 4), 4, "of something else");
    }

    #[test]
    fn what_takes_long_to_make_may_be_older() {
        let last = Memo::easy(u32::MAX);
        let seen = [("coder", "a", 1), ("coder", "b", 2), ("tester", "b", 3)];
        assert_eq!(seen.map(|(of, commit, number)| made(&last, of, commit, number)), [1, 1, 3]);
    }
}
