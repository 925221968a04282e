//! A check of the bus from outside, every few seconds: for `/ready`, the metrics and the status commands. It fixes
//! nothing, and its failure is not logged: the readers of the streams report it.

use crate::app::admin::health::Readiness;
use crate::metrics;
use crate::ports::{BusState, Clock, LookAtBus};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The interval between checks.
const EVERY: Duration = Duration::from_secs(10);

/// Checks until stopped.
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
