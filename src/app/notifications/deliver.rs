//! Delivery to one endpoint, and handling of failures.

use super::endpoint::Endpoint;
use super::retry::again;
use crate::domain::records::notification::Notification;
use crate::metrics;
use crate::ports::{Delivery, NotificationQueue, QueueError};
use jiff::{SignedDuration, Timestamp};

/// The longest delay an endpoint may request, in seconds: a day.
const LONGEST_HOLD: u64 = 86_400;

/// The result of a delivery round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryRound {
    /// Nothing is due.
    Nothing,
    /// A delivery was attempted, and more may be due.
    Tried,
}

/// Delivers the first due batch for an endpoint. `now` is called again after the response.
///
/// # Errors
/// If the queue cannot be used. Delivered notifications may then be delivered again.
pub fn deliver_next(
    endpoint: &Endpoint,
    queue: &mut dyn NotificationQueue,
    now: &dyn Fn() -> Timestamp,
) -> Result<DeliveryRound, QueueError> {
    let started = now();
    let batch = queue.due(&endpoint.name, started)?;
    let Some(first) = batch.first() else { return Ok(DeliveryRound::Nothing) };
    let (name, id) = (&endpoint.name, &first.batch);
    let notices: Vec<Notification> = batch.iter().map(|waiting| waiting.notice.clone()).collect();
    let delivery = endpoint.messenger.send(id, &notices, started);
    let ended = now();
    match delivery {
        Delivery::Taken(said) => {
            queue.delivered(name, id, ended)?;
            metrics::notices_delivered(endpoint.style, notices.len() as u64);
            tracing::info!(endpoint = name, batch = id, notices = notices.len(), said, "told");
        }
        Delivery::Gone => {
            let dropped = queue.disable(name, ended)?;
            metrics::notices_failed(endpoint.style);
            metrics::notices_dropped(dropped);
            tracing::warn!(
                endpoint = name,
                dropped,
                "it no longer accepts notifications (410) and is disabled; `feedbackd notify test` re-enables it"
            );
        }
        Delivery::Failed { why, hold_seconds } => {
            let first_try = if first.attempts == 0 { started } else { first.since };
            let next = again(id, first.attempts + 1, first_try, ended);
            let hold = hold_seconds.map(|seconds| seconds.min(LONGEST_HOLD));
            let hold = hold.and_then(|seconds| {
                ended.checked_add(SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX))).ok()
            });
            queue.failed(name, id, ended, &why, next.map(|next| next.max(hold.unwrap_or(next))), hold)?;
            metrics::notices_failed(endpoint.style);
            if next.is_none() {
                metrics::notices_dropped(notices.len() as u64);
            }
            let again = next.map(|next| next.to_string());
            tracing::warn!(endpoint = name, batch = id, why, attempts = first.attempts + 1, again, "not told");
        }
    }
    Ok(DeliveryRound::Tried)
}
