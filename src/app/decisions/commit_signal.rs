//! Wakes callers that wait for a record when the pipeline of the same process has made a batch durable.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Counts durable batches, and wakes those who wait for the next one.
#[derive(Debug, Default)]
pub struct CommitSignal {
    durable: Mutex<u64>,
    changed: Condvar,
}

impl CommitSignal {
    /// Returns the number of durable batches so far.
    pub fn count(&self) -> u64 {
        *self.durable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports a durable batch.
    pub fn notify(&self) {
        *self.durable.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Waits until more than `seen` batches are durable, for at most `timeout`.
    pub fn wait(&self, seen: u64, timeout: Duration) {
        let durable = self.durable.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(durable, timeout, |durable| *durable <= seen);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_batch_wakes_a_waiter_and_an_earlier_one_is_not_missed() {
        let signal = Arc::new(CommitSignal::default());
        let seen = signal.count();
        let other = Arc::clone(&signal);
        let waiter = std::thread::spawn(move || other.wait(seen, Duration::from_secs(600)));
        signal.notify();
        waiter.join().expect("it is woken");
        signal.wait(seen, Duration::from_secs(600));
        assert_eq!(signal.count(), seen + 1);
    }
}
