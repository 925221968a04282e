//! Turns: blocking work runs off the event loop, a few at a time, with bounded waiting.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Limits on concurrent work and waiting time.
#[derive(Clone)]
pub struct BlockingPool {
    free: Arc<Semaphore>,
    patience: Duration,
}

/// Why work was not done, or not in time. Never contains what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDone {
    /// It took too long, including the wait for its turn.
    #[error("there was no answer within {} seconds; try again later, or ask for less", .0.as_secs())]
    Late(Duration),
    /// It panicked.
    #[error("a bug in feedbackd ended the call; see its log")]
    Defect,
    /// The program is shutting down.
    #[error("the daemon is stopping")]
    Stopping,
}

impl BlockingPool {
    /// Creates turns with a maximum concurrency. Work must finish within `patience`, including the wait for its turn.
    pub fn new(most: usize, patience: Duration) -> BlockingPool {
        BlockingPool { free: Arc::new(Semaphore::new(most)), patience }
    }

    /// Runs blocking work when its turn comes. A caller that stops waiting does not cancel it: it keeps its turn until
    /// it is done.
    ///
    /// # Errors
    /// If it takes too long, panics, or the daemon shuts down.
    pub async fn take<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, NotDone> {
        let free = Arc::clone(&self.free);
        let done = async move {
            let turn = free.acquire_owned().await;
            tokio::task::spawn_blocking(move || {
                let _turn = turn;
                work()
            })
            .await
        };
        match timeout(self.patience, done).await {
            Ok(Ok(done)) => Ok(done),
            // The panic message may contain what was sent.
            Ok(Err(error)) if error.is_panic() => Err(NotDone::Defect),
            Ok(Err(_)) => Err(NotDone::Stopping),
            Err(_) => Err(NotDone::Late(self.patience)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn what_takes_too_long_keeps_its_turn_until_it_is_done() {
        let turns = BlockingPool::new(1, Duration::from_millis(20));
        let (end, ended) = mpsc::channel::<()>();
        let late = turns.take(move || ended.recv().is_ok()).await;
        assert_eq!(late, Err(NotDone::Late(Duration::from_millis(20))));
        assert!(turns.take(|| ()).await.is_err(), "there is but one turn");
        end.send(()).expect("it still waits");
        let patient = BlockingPool { patience: Duration::from_secs(30), ..turns };
        assert_eq!(patient.take(|| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn a_defect_ends_one_call_and_does_not_say_what_was_sent() {
        let turns = BlockingPool::new(1, Duration::from_secs(30));
        let defect: Result<(), NotDone> = turns.take(|| panic!("a secret")).await;
        assert_eq!(defect, Err(NotDone::Defect));
        assert_eq!(turns.take(|| 1).await, Ok(1));
    }
}
