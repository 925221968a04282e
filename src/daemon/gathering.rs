//! Handing over the reviews of forges that have fallen quiet. It only asks, every moment; what waits is kept in Redis.

use crate::app::forges::Forges;
use crate::ports::Clock;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often it looks.
const EVERY: Duration = Duration::from_millis(500);

/// Hands over until it is told to stop; where no forge is connected there is nothing to do.
pub(super) async fn gather(forges: Option<Arc<Forges>>, clock: Arc<dyn Clock>, stop: CancellationToken) {
    let Some(forges) = forges else { return };
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut failing = false;
    while stop.run_until_cancelled(tick.tick()).await.is_some() {
        let (forges, now) = (Arc::clone(&forges), clock.now());
        let Ok(handed) = tokio::task::spawn_blocking(move || forges.hand_over(now)).await else { continue };
        match handed {
            Ok(_) => failing = false,
            // Once, not twice a second; it is tried again.
            Err(error) if !failing => {
                failing = true;
                tracing::warn!(%error, "reviews of forges wait: they cannot be handed over");
            }
            Err(_) => {}
        }
    }
}
