//! Turns: what may block is done beside the event loop, a few at a time, and nobody waits for it for ever.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Who may have something done at the same time, and how long they wait for it.
#[derive(Clone)]
pub struct Turns {
    free: Arc<Semaphore>,
    patience: Duration,
}

/// Why something was not done, or not in time. It never says what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDone {
    /// It took too long, the wait for its turn included.
    #[error("there was no answer within {} seconds; try again later, or ask for less", .0.as_secs())]
    Late(Duration),
    /// It panicked.
    #[error("a defect of feedbackd ended the call; see its log")]
    Defect,
    /// The program ends.
    #[error("the daemon is stopping")]
    Stopping,
}

impl Turns {
    /// So many turns at the same time. What is done must be there after `patience`, the wait for its turn included.
    pub fn new(most: usize, patience: Duration) -> Turns {
        Turns { free: Arc::new(Semaphore::new(most)), patience }
    }

    /// Does something that may block, when it is its turn. Whoever waits no longer does not end it: it keeps its turn until
    /// it is done.
    ///
    /// # Errors
    /// Where it takes too long, where it ends in a defect, or with the daemon.
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
            // What the panic says may hold what was sent.
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
        let turns = Turns::new(1, Duration::from_millis(20));
        let (end, ended) = mpsc::channel::<()>();
        let late = turns.take(move || ended.recv().is_ok()).await;
        assert_eq!(late, Err(NotDone::Late(Duration::from_millis(20))));
        assert!(turns.take(|| ()).await.is_err(), "there is but one turn");
        end.send(()).expect("it still waits");
        let patient = Turns { patience: Duration::from_secs(30), ..turns };
        assert_eq!(patient.take(|| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn a_defect_ends_one_call_and_does_not_say_what_was_sent() {
        let turns = Turns::new(1, Duration::from_secs(30));
        let defect: Result<(), NotDone> = turns.take(|| panic!("a secret")).await;
        assert_eq!(defect, Err(NotDone::Defect));
        assert_eq!(turns.take(|| 1).await, Ok(1));
    }
}
