//! Recovery of events that forges' webhooks lost: one thread per repository polls its forge's API at a configured
//! interval, and immediately when woken.
//!
//! It continues from where the last poll or import stopped. Failures are retried at the next poll.

use super::supervisor::Supervisor;
use crate::app::forges::history::{History, HistoryError, Span, Tally, Watcher};
use crate::app::forges::poll_triggers::PollTriggers;
use crate::metrics::{self, PollOutcome};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often a waiting thread checks whether to stop.
const LOOK: Duration = Duration::from_millis(200);

/// The minimum time between polls, however much arrives.
const SPACING: Duration = Duration::from_secs(1);

/// A polled repository.
pub struct ForgePoll {
    pub history: History,
    /// The polling interval.
    pub every: Duration,
    /// Requests for an earlier poll.
    pub wakes: PollTriggers,
}

/// Starts the threads. They end shortly after `stop`; unfinished work is repeated at the next start.
///
/// # Errors
/// If the system cannot start a thread.
pub(super) fn start(polled: Vec<ForgePoll>, supervisor: &Supervisor) -> std::io::Result<()> {
    for polling in polled {
        let stop = supervisor.stop.clone();
        let name = format!("poll {} {}", polling.history.forge.name, polling.history.repository);
        supervisor.thread(&name, move || poll(&polling, &stop))?;
    }
    Ok(())
}

fn poll(polling: &ForgePoll, stop: &CancellationToken) {
    let history = &polling.history;
    let watcher = Patient { stop };
    // What was said before the daemon existed is left to an import.
    let begun = history.clock.now();
    while !stop.is_cancelled() {
        let mut tally = Tally::default();
        let since = history.noted_since().ok().flatten().unwrap_or(begun);
        let done = history.import(Span { since, until: None }, &watcher, &mut tally);
        let (forge, repository) = (&history.forge.name, &history.repository);
        match done {
            Ok(()) => {
                metrics::forge_poll(PollOutcome::Ok);
                if tally.handed_over > 0 {
                    tracing::info!(
                        forge,
                        repository,
                        reviews = tally.handed_over,
                        "found reviews that no webhook delivered"
                    );
                }
            }
            Err(HistoryError::Stopped) => return,
            Err(error) => {
                metrics::forge_poll(PollOutcome::Failed);
                tracing::warn!(forge, repository, %error, "a forge's API cannot be read; trying again later");
            }
        }
        rest(polling, &watcher);
    }
}

/// Waits for the next poll, or until an earlier one is requested.
fn rest(polling: &ForgePoll, watcher: &Patient<'_>) {
    let (forge, repository) = (&polling.history.forge.name, &polling.history.repository);
    let mut left = polling.every;
    let mut step = SPACING;
    while !left.is_zero() && watcher.pause(step.min(left)) && !polling.wakes.take(forge, repository) {
        left = left.saturating_sub(step);
        step = LOOK;
    }
}

/// Waits until the daemon is stopped.
pub(super) struct Patient<'a> {
    pub(super) stop: &'a CancellationToken,
}

impl Patient<'_> {
    /// Returns false if the daemon was stopped meanwhile.
    pub(super) fn pause(&self, time: Duration) -> bool {
        let mut left = time;
        while !left.is_zero() && !self.stop.is_cancelled() {
            let step = left.min(LOOK);
            std::thread::sleep(step);
            left -= step;
        }
        !self.stop.is_cancelled()
    }
}

impl Watcher for Patient<'_> {
    fn listed(&self, _: usize) {}

    fn read(&self, _: &Tally) {}

    fn wait(&self, time: Duration, _: &str) -> bool {
        self.pause(time)
    }
}
