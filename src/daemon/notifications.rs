//! Telling people: a thread that queues notices, and one for each endpoint, so that a slow one delays nobody.

use super::supervisor::Supervisor;
use crate::app::notifications::{Delivering, Endpoint, OpenQueue, TakingUp, Telling, deliver_next};
use crate::ports::{Clock, NoticeQueue};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often it is looked whether something was published.
const LOOK: Duration = Duration::from_millis(500);
/// How often it is looked whether something is due for an endpoint.
const DUE: Duration = Duration::from_millis(250);
/// How long to wait after the store or the queue could not be used.
const MENDING: Duration = Duration::from_secs(5);

/// Starts the threads. They end some time after `stop`; what they are at is then done again with the next start.
///
/// # Errors
/// When the system gives no thread.
pub(super) fn start(telling: Telling, supervisor: &Supervisor) -> std::io::Result<()> {
    let Telling { taking_up, endpoints, open_queue, clock } = telling;
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

/// Queues what is to be told.
fn take_up(mut taking_up: TakingUp, stop: &CancellationToken) {
    let mut trouble = String::new();
    while !stop.is_cancelled() {
        let looked = taking_up.look().map_err(|error| error.to_string());
        let said = looked.err().unwrap_or_default();
        // Once for each reason: the same one comes again with every look.
        if !said.is_empty() && said != trouble {
            tracing::warn!(error = said, "notices are not queued; trying again");
        }
        std::thread::sleep(if said.is_empty() { LOOK } else { MENDING });
        trouble = said;
    }
}

/// Delivers to one endpoint what is due.
fn tell(endpoint: &Endpoint, open: &OpenQueue, clock: &dyn Clock, stop: &CancellationToken) {
    let mut queue: Option<Box<dyn NoticeQueue>> = None;
    while !stop.is_cancelled() {
        let done = match &mut queue {
            Some(queue) => deliver_next(endpoint, queue.as_mut(), &|| clock.now()),
            None => open().map(|opened| {
                queue = Some(opened);
                Delivering::Tried
            }),
        };
        match done {
            Ok(Delivering::Tried) => {}
            Ok(Delivering::Nothing) => std::thread::sleep(DUE),
            Err(error) => {
                tracing::warn!(endpoint = endpoint.name, %error, "notices are not delivered; trying again");
                queue = None;
                std::thread::sleep(MENDING);
            }
        }
    }
}
