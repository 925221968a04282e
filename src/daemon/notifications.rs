//! Notifications to people: a thread that queues them, and one per endpoint, so that a slow one delays no other.

use super::supervisor::Supervisor;
use crate::app::notifications::{DeliveryRound, Endpoint, NotificationService, OpenQueue, TakingUp, deliver_next};
use crate::ports::{Clock, NotificationQueue};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often to check for newly published messages.
const LOOK: Duration = Duration::from_millis(500);
/// How often to check whether a delivery to an endpoint is due.
const DUE: Duration = Duration::from_millis(250);
/// The delay after a failure of the store or the queue.
const MENDING: Duration = Duration::from_secs(5);

/// Starts the threads. They end shortly after `stop`; unfinished work is repeated at the next start.
///
/// # Errors
/// If the system cannot start a thread.
pub(super) fn start(telling: NotificationService, supervisor: &Supervisor) -> std::io::Result<()> {
    let NotificationService { taking_up, endpoints, open_queue, clock } = telling;
    let open_queue = Arc::new(open_queue);
    for number in 0..endpoints.len() {
        let (endpoints, open, clock, stop) =
            (Arc::clone(&endpoints), Arc::clone(&open_queue), Arc::clone(&clock), supervisor.stop.clone());
        let name = format!("tell {}", endpoints[number].name);
        supervisor.thread(&name, move || tell(&endpoints[number], &open, clock.as_ref(), &stop))?;
    }
    let stop = supervisor.stop.clone();
    supervisor.thread("notices", move || take_up(taking_up, &stop))?;
    Ok(())
}

/// Queues notifications.
fn take_up(mut taking_up: TakingUp, stop: &CancellationToken) {
    let mut trouble = String::new();
    while !stop.is_cancelled() {
        let looked = taking_up.look().map_err(|error| error.to_string());
        let said = looked.err().unwrap_or_default();
        // Once for each reason: the same one recurs at every check.
        if !said.is_empty() && said != trouble {
            tracing::warn!(error = said, "notifications are not queued; trying again");
        }
        std::thread::sleep(if said.is_empty() { LOOK } else { MENDING });
        trouble = said;
    }
}

/// Delivers what is due to one endpoint.
fn tell(endpoint: &Endpoint, open: &OpenQueue, clock: &dyn Clock, stop: &CancellationToken) {
    let mut queue: Option<Box<dyn NotificationQueue>> = None;
    while !stop.is_cancelled() {
        let done = match &mut queue {
            Some(queue) => deliver_next(endpoint, queue.as_mut(), &|| clock.now()),
            None => open().map(|opened| {
                queue = Some(opened);
                DeliveryRound::Tried
            }),
        };
        match done {
            Ok(DeliveryRound::Tried) => {}
            Ok(DeliveryRound::Nothing) => std::thread::sleep(DUE),
            Err(error) => {
                tracing::warn!(endpoint = endpoint.name, %error, "notifications are not delivered; trying again");
                queue = None;
                std::thread::sleep(MENDING);
            }
        }
    }
}
