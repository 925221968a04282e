//! Turns: what may block is done beside the event loop, a few at a time, and nobody waits for it for ever.

use super::problem::Problem;
use axum::http::StatusCode;
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

impl Turns {
    /// So many turns at the same time. What is done must be there after `patience`, the wait for its turn included.
    pub fn new(most: usize, patience: Duration) -> Turns {
        Turns { free: Arc::new(Semaphore::new(most)), patience }
    }

    /// Does something that may block, when it is its turn. Whoever waits no longer does not end it: it keeps its turn until
    /// it is done.
    ///
    /// # Errors
    /// 503 where it takes too long, 500 where it ends in a defect, or with the daemon.
    pub async fn take<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
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
            Ok(Err(error)) => {
                // What it says may hold what was sent.
                let what =
                    if error.is_panic() { "a defect of feedbackd ended the call" } else { "the daemon is stopping" };
                Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, what))
            }
            Err(_) => {
                let seconds = self.patience.as_secs();
                let detail = format!("there was no answer within {seconds} seconds; try again later, or ask for less");
                Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail))
            }
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
        assert_eq!(late.map_err(|problem| problem.status()), Err(StatusCode::SERVICE_UNAVAILABLE));
        assert!(turns.take(|| ()).await.is_err(), "there is but one turn");
        end.send(()).expect("it still waits");
        let patient = Turns { patience: Duration::from_secs(30), ..turns };
        assert_eq!(patient.take(|| 1).await.ok(), Some(1));
    }

    #[tokio::test]
    async fn a_defect_ends_one_call_and_does_not_say_what_was_sent() {
        let turns = Turns::new(1, Duration::from_secs(30));
        let defect: Result<(), Problem> = turns.take(|| panic!("a secret")).await;
        let problem = defect.expect_err("it failed");
        assert_eq!(problem.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!problem.body().contains("secret"));
        assert_eq!(turns.take(|| 1).await.ok(), Some(1));
    }
}
