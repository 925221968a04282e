//! Submission of forge reviews that have gone quiet. It only polls; what is pending is kept in Redis.

use super::forge_poll::Patient;
use super::supervisor::Supervisor;
use crate::app::forges::deliveries::Forges;
use std::sync::Arc;
use std::time::Duration;

/// The polling interval.
const EVERY: Duration = Duration::from_millis(500);

/// Starts the thread. It ends shortly after the daemon is stopped.
///
/// # Errors
/// If the system cannot start a thread.
pub(super) fn start(forges: Arc<Forges>, supervisor: &Supervisor) -> std::io::Result<()> {
    let (clock, stop) = (Arc::clone(&supervisor.clock), supervisor.stop.clone());
    let gather = move || {
        let watcher = Patient { stop: &stop };
        let mut failing = false;
        while watcher.pause(EVERY) {
            match forges.hand_over(clock.now()) {
                Ok(_) => failing = false,
                // Logged once, not twice a second; it is retried.
                Err(error) if !failing => {
                    failing = true;
                    tracing::warn!(%error, "reviews from forges are pending: they cannot be passed on");
                }
                Err(_) => {}
            }
        }
    };
    supervisor.thread("gather reviews", gather)?;
    Ok(())
}
