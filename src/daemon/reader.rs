//! The reader: passes pending entries on in batches. It decides nothing about entries.

use super::backoff::Backoff;
use crate::app::admin::health::Readiness;
use crate::domain::intake::event::RawEntry;
use crate::metrics;
use crate::ports::{Clock, EventSource};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Reads until stopped. A read is never cancelled: entries in flight would be stranded.
pub(super) async fn read<S: EventSource>(
    mut source: S,
    max: usize,
    batches: mpsc::Sender<Vec<RawEntry>>,
    readiness: Arc<Readiness>,
    clock: Arc<dyn Clock>,
    stop: CancellationToken,
) {
    let mut backoff = Backoff::of_redis();
    while !stop.is_cancelled() {
        match source.next(max).await {
            Ok(mut entries) => {
                if backoff.is_running() {
                    tracing::info!("redis can be read again");
                }
                backoff.reset();
                readiness.redis_ok(clock.now());
                metrics::redis_up(true);
                let troubles = source.troubles();
                if readiness.streams(&troubles, clock.now()) {
                    if troubles.is_empty() {
                        tracing::info!("all streams can be read again");
                    } else {
                        tracing::error!(
                            streams = troubles.join("; "),
                            "some streams cannot be read; reading the others"
                        );
                    }
                }
                metrics::unreadable_streams(troubles.len());
                let losses = source.take_losses();
                if !losses.is_empty() {
                    metrics::lost(losses.len() as u64);
                    tracing::error!(entries = losses.len(), "entries were trimmed before they were processed");
                    entries.extend(losses);
                }
                feedbackd_ports::fail_point!("read.handed_on");
                if !entries.is_empty() && batches.send(entries).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                readiness.redis_failed(&error.to_string(), clock.now());
                metrics::redis_up(false);
                backoff.failures.report(&error, "reading");
                backoff.wait_after(&error, &stop).await;
            }
        }
    }
}
