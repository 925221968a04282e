//! Looking at the bus from aside, every few seconds: for `/ready`, for the metrics, and so for whoever asks the daemon
//! how it is. It mends nothing, and that it fails is no news: who reads the streams says so.

use crate::app::admin::health::Readiness;
use crate::metrics;
use crate::ports::{BusState, Clock, LookAtBus};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often it looks.
const EVERY: Duration = Duration::from_secs(10);

/// Looks until it is told to stop.
pub(super) async fn look(look: LookAtBus, readiness: Arc<Readiness>, clock: Arc<dyn Clock>, stop: CancellationToken) {
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut others = Vec::new();
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        let Some(Ok(seen)) = stop.run_until_cancelled(look()).await else { continue };
        tell(&seen);
        if !seen.others.is_empty() && seen.others != others {
            tracing::warn!(
                members = seen.others.join(", "),
                "others read in the same consumer group: they take entries that this daemon never sees"
            );
        }
        others.clone_from(&seen.others);
        readiness.bus_seen(seen, clock.now());
    }
}

fn tell(seen: &BusState) {
    for stream in &seen.streams {
        if let Some(kind) = stream.kind {
            metrics::stream(kind, stream.pending, stream.lag);
        }
    }
    metrics::redis_seen(seen.memory, seen.memory_limit, seen.dead_letters, seen.others.len());
}
