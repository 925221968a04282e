//! Failure handling: report the failure, then wait before retrying.

use crate::metrics::{self, RedisFailure};
use crate::ports::BusError;
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Maximum delay before a retry (twice as long with jitter).
const MAX_DELAY: Duration = Duration::from_secs(2);

/// The same for Redis: after a failover the new primary has to be found at once, and looking for it costs little.
const MAX_REDIS_DELAY: Duration = Duration::from_millis(150);

/// Failures of Redis are logged at most this often while they last.
const LOG_EVERY: Duration = Duration::from_secs(2);

/// Endless exponential backoff with jitter, up to 2 s and as much again; for Redis, up to 0.3 s in all.
pub(super) struct Backoff {
    max_delay: Duration,
    delays: Option<ExponentialBackoff>,
    pub(super) failures: RedisFailures,
}

/// Failures of Redis that follow one another: all are counted, some are logged.
#[derive(Default)]
pub(super) struct RedisFailures {
    logged: Option<Instant>,
}

impl RedisFailures {
    /// Counts a failure from which the caller recovers, and logs it unless one was logged just now.
    pub(super) fn report(&mut self, error: &BusError, doing: &str) {
        match self.logged {
            Some(at) if at.elapsed() < LOG_EVERY => count(error),
            _ => {
                self.logged = Some(Instant::now());
                report(error, doing);
            }
        }
    }

    /// Logs the next failure.
    pub(super) fn reset(&mut self) {
        self.logged = None;
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff { max_delay: MAX_DELAY, delays: None, failures: RedisFailures::default() }
    }
}

impl Backoff {
    /// Returns one for Redis.
    pub(super) fn of_redis() -> Backoff {
        Backoff { max_delay: MAX_REDIS_DELAY, ..Backoff::default() }
    }

    /// Reports whether anything has failed since the last reset.
    pub(super) fn is_running(&self) -> bool {
        self.delays.is_some()
    }

    pub(super) fn reset(&mut self) {
        self.delays = None;
        self.failures.reset();
    }

    /// Waits; returns false if the daemon is stopped meanwhile.
    pub(super) async fn wait(&mut self, stop: &CancellationToken) -> bool {
        let delay = self.delay();
        sleep(delay, stop).await
    }

    /// Waits after a failure of Redis: longer if it will last until people do something.
    pub(super) async fn wait_after(&mut self, error: &BusError, stop: &CancellationToken) -> bool {
        let delay = self.delay();
        match error {
            BusError::Unavailable(_) => sleep(delay, stop).await,
            BusError::Refused { .. } => sleep(MAX_DELAY, stop).await,
        }
    }

    fn delay(&mut self) -> Duration {
        self.delays.get_or_insert_with(|| delays(self.max_delay)).next().unwrap_or(self.max_delay)
    }
}

async fn sleep(delay: Duration, stop: &CancellationToken) -> bool {
    tokio::select! {
        () = stop.cancelled() => false,
        () = tokio::time::sleep(delay) => true,
    }
}

fn delays(max: Duration) -> ExponentialBackoff {
    ExponentialBuilder::default().with_min_delay(max / 20).with_max_delay(max).with_jitter().without_max_times().build()
}

/// Counts and logs a Redis failure from which the caller recovers.
pub(super) fn report(error: &BusError, doing: &str) {
    count(error);
    match error {
        BusError::Unavailable(_) => tracing::warn!(%error, doing, "redis cannot be used; trying again"),
        BusError::Refused { .. } => tracing::warn!(%error, doing, "redis rejects the request; trying again"),
    }
}

fn count(error: &BusError) {
    metrics::redis_error(match error {
        BusError::Unavailable(_) => RedisFailure::Unavailable,
        BusError::Refused { .. } => RedisFailure::Refused,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_and_never_end() {
        for max in [MAX_DELAY, MAX_REDIS_DELAY] {
            let delays: Vec<Duration> = delays(max).take(1000).collect();
            assert_eq!(delays.len(), 1000);
            assert!(delays[0] <= max / 10);
            assert!(delays.iter().all(|delay| *delay <= 2 * max));
            assert!(delays[900] >= max);
        }
    }
}
