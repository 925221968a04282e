//! Handing over the reviews of forges that have fallen quiet. It only asks, every moment; what waits is kept in Redis.

use super::forge_poll::Patient;
use super::supervisor::Supervisor;
use crate::app::forges::deliveries::Forges;
use std::sync::Arc;
use std::time::Duration;

/// How often it looks.
const EVERY: Duration = Duration::from_millis(500);

/// Starts the thread. It ends some time after the daemon is told to stop.
///
/// # Errors
/// When the system gives none.
pub(super) fn start(forges: Arc<Forges>, supervisor: &Supervisor) -> std::io::Result<()> {
    let (clock, stop) = (Arc::clone(&supervisor.clock), supervisor.stop.clone());
    let gather = move || {
        let watcher = Patient { stop: &stop };
        let mut failing = false;
        while watcher.pause(EVERY) {
            match forges.hand_over(clock.now()) {
                Ok(_) => failing = false,
                // Once, not twice a second; it is tried again.
                Err(error) if !failing => {
                    failing = true;
                    tracing::warn!(%error, "reviews of forges wait: they cannot be handed over");
                }
                Err(_) => {}
            }
        }
    };
    supervisor.thread("gather reviews", gather)?;
    Ok(())
}
