//! When the next push and the next fetch are due. Both are rare if all is well, and rarer while they fail.

use std::time::{Duration, Instant};

/// The longest wait after failures.
const MAX_WAIT: Duration = Duration::from_secs(300);

/// The times of one kind of call to the host.
#[derive(Clone, Debug)]
pub struct Schedule {
    every: Duration,
    due: Instant,
    failures: u32,
}

impl Schedule {
    /// Makes the first call due at once; later ones come no more often than `every`.
    pub fn new(every: Duration, now: Instant) -> Schedule {
        Schedule { every, due: now, failures: 0 }
    }

    /// Reports whether a call is due.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.due
    }

    /// A call that began then has worked.
    pub fn worked(&mut self, began: Instant) {
        self.failures = 0;
        self.due = began + self.every;
    }

    /// A call has failed: the wait doubles each time.
    pub fn failed(&mut self, now: Instant) {
        let longest = MAX_WAIT.max(self.every);
        let wait = self.every.saturating_mul(1 << self.failures.min(16)).min(longest);
        self.failures += 1;
        self.due = now + wait;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_make_calls_rare_and_a_success_makes_them_frequent_again() {
        let (start, every) = (Instant::now(), Duration::from_secs(10));
        let mut schedule = Schedule::new(every, start);
        assert!(schedule.is_due(start));
        let mut waits = Vec::new();
        for _ in 0..7 {
            schedule.failed(start);
            waits.push((schedule.due - start).as_secs());
        }
        assert_eq!(waits, [10, 20, 40, 80, 160, 300, 300]);
        schedule.worked(start);
        assert!(!schedule.is_due(start + Duration::from_secs(9)) && schedule.is_due(start + every));
    }
}
