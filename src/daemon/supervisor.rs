//! Supervision of tasks and threads: one that panics, or returns before the daemon is stopped, is reported in the log
//! and on `/ready`. None is restarted: only a defect ends one, and only a new start knows what it left unfinished.

use crate::app::admin::health::Readiness;
use crate::ports::Clock;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// Starts and supervises tasks and threads.
#[derive(Clone)]
pub(super) struct Supervisor {
    pub(super) readiness: Arc<Readiness>,
    pub(super) clock: Arc<dyn Clock>,
    /// A task that ends after this is cancelled was stopped deliberately.
    pub(super) stop: CancellationToken,
}

impl Supervisor {
    /// Starts a thread.
    ///
    /// # Errors
    /// If the system cannot start one.
    pub(super) fn thread(
        &self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<thread::JoinHandle<()>> {
        let (supervisor, task) = (self.clone(), name.to_owned());
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            // Nothing it worked on is used again.
            match catch_unwind(AssertUnwindSafe(work)) {
                Ok(()) => supervisor.ended(&task, "it returned"),
                Err(panic) => supervisor.ended(&task, &said(panic.as_ref())),
            }
        })
    }

    /// Starts a task. Aborting the handle aborts it.
    pub(super) fn task(&self, name: &'static str, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        let supervisor = self.clone();
        tokio::spawn(async move {
            let mut one = JoinSet::new();
            one.spawn(work);
            match one.join_next().await {
                Some(Err(error)) if error.is_panic() => supervisor.ended(name, &said(error.into_panic().as_ref())),
                Some(_) => supervisor.ended(name, "it returned"),
                None => {}
            }
        })
    }

    /// Reports that a task has ended, unless it was stopped.
    fn ended(&self, task: &str, why: &str) {
        if self.stop.is_cancelled() {
            return;
        }
        tracing::error!(task, why, "a task ended unexpectedly, and its work is not being done: restart the daemon");
        self.readiness.task_ended(task, why, self.clock.now());
    }
}

/// Returns the message of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("it panicked: {}", text.unwrap_or("for an unknown reason"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use std::time::{Duration, Instant};

    struct Fixed;

    impl Clock for Fixed {
        fn now(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }
    }

    fn supervisor() -> Supervisor {
        let readiness = Arc::new(Readiness::new(Duration::from_secs(30)));
        readiness.redis_ok(Timestamp::UNIX_EPOCH);
        readiness.store_ok(Timestamp::UNIX_EPOCH);
        Supervisor { readiness, clock: Arc::new(Fixed), stop: CancellationToken::new() }
    }

    /// Returns whether all is well, and the report about the tasks.
    fn told(supervisor: &Supervisor) -> (bool, String) {
        let report = supervisor.readiness.report(Instant::now());
        (report.ready, report.checks.tasks.and_then(|check| check.message).unwrap_or_default())
    }

    #[test]
    fn a_thread_that_panics_or_returns_is_told_of() {
        for (work, why) in [((|| panic!("no disk")) as fn(), "it panicked: no disk"), (|| (), "it returned")] {
            let supervisor = supervisor();
            supervisor.thread("notices", work).expect("a thread").join().expect("the panic is taken");
            let (ready, message) = told(&supervisor);
            assert!(!ready && message.contains("`notices` has ended") && message.contains(why), "{message}");
        }
    }

    #[tokio::test]
    async fn a_task_that_panics_is_told_of_and_one_that_is_stopped_is_not() {
        let supervisor = supervisor();
        supervisor.task("web", async { panic!("at {}", 7) }).await.expect("the panic is taken");
        let (ready, message) = told(&supervisor);
        assert!(!ready && message.contains("`web` has ended: it panicked: at 7"), "{message}");

        let supervisor = self::supervisor();
        let running = supervisor.task("polling", std::future::pending());
        running.abort();
        assert!(running.await.expect_err("aborted").is_cancelled());
        supervisor.stop.cancel();
        supervisor.task("offering", async {}).await.expect("it ends");
        assert_eq!(told(&supervisor), (true, String::new()));
    }
}
