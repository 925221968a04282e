//! Failure handling: report the failure, then wait before retrying.

use crate::metrics::{self, RedisFailure};
use crate::ports::BusError;
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Maximum delay before a retry (twice as long with jitter).
const MAX_DELAY: Duration = Duration::from_secs(2);

/// Endless exponential backoff with jitter, from 0.1 s to 2 s and up to as much again: a service that was away is found
/// again within four seconds.
#[derive(Default)]
pub(super) struct Backoff {
    delays: Option<ExponentialBackoff>,
}

impl Backoff {
    /// Reports whether anything has failed since the last reset.
    pub(super) fn is_running(&self) -> bool {
        self.delays.is_some()
    }

    pub(super) fn reset(&mut self) {
        self.delays = None;
    }

    /// Waits; returns false if the daemon is stopped meanwhile.
    pub(super) async fn wait(&mut self, stop: &CancellationToken) -> bool {
        let delay = self.delays.get_or_insert_with(delays).next().unwrap_or(MAX_DELAY);
        tokio::select! {
            () = stop.cancelled() => false,
            () = tokio::time::sleep(delay) => true,
        }
    }
}

fn delays() -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(100))
        .with_max_delay(MAX_DELAY)
        .with_jitter()
        .without_max_times()
        .build()
}

/// Counts and logs a Redis failure from which the caller recovers.
pub(super) fn report(error: &BusError, doing: &str) {
    metrics::redis_error(match error {
        BusError::Unavailable(_) => RedisFailure::Unavailable,
        BusError::Refused { .. } => RedisFailure::Refused,
    });
    match error {
        BusError::Unavailable(_) => tracing::warn!(%error, doing, "redis cannot be used; trying again"),
        BusError::Refused { .. } => tracing::warn!(%error, doing, "redis rejects the request; trying again"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_and_never_end() {
        let delays: Vec<Duration> = delays().take(1000).collect();
        assert_eq!(delays.len(), 1000);
        assert!(delays[0] <= Duration::from_millis(200));
        assert!(delays.iter().all(|delay| *delay <= 2 * MAX_DELAY));
        assert!(delays[900] >= MAX_DELAY);
    }
}
