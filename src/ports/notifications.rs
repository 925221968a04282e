//! Notifying people and programs: the queue of pending notifications, and their delivery.

use crate::domain::records::notification::Notification;
use crate::text::ids::CommitId;
use jiff::Timestamp;
use thiserror::Error;

/// Why the queue cannot be used.
#[derive(Debug, Error)]
#[error("the notification queue: {0}")]
pub struct QueueError(pub String);

/// A notification pending for one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingNotification {
    /// The endpoint's name.
    pub endpoint: String,
    /// Notifications of one batch are delivered together; its name is the same for all attempts.
    pub batch: String,
    /// Not before.
    pub due: Timestamp,
    /// The number of failed attempts.
    pub attempts: u32,
    /// The time of the first attempt, or else of queueing.
    pub since: Timestamp,
    /// The notification.
    pub notice: Notification,
}

/// An endpoint's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointState {
    /// Its name.
    pub name: String,
    /// The number of pending notifications.
    pub waiting: u64,
    /// Since when it is disabled.
    pub disabled_at: Option<Timestamp>,
    /// When its hold ends.
    pub held_until: Option<Timestamp>,
    /// The last successful delivery.
    pub delivered_at: Option<Timestamp>,
    /// The last failed delivery, with the reason.
    pub failed: Option<(Timestamp, String)>,
}

/// The queue: durable, and used by more than one thread.
pub trait NotificationQueue: Send {
    /// Returns the last commit whose notifications were queued; `None` if there is none.
    fn position(&self) -> Result<Option<CommitId>, QueueError>;

    /// Atomically queues notifications and moves the position. Ones already pending are left unchanged. If an endpoint
    /// has more than `max`, the oldest are dropped; returns how many.
    fn queue(&mut self, waiting: &[PendingNotification], to: &CommitId, max: u64) -> Result<u64, QueueError>;

    /// Sets the existing endpoints, each with a text that differs if another endpoint has taken its name: that one is
    /// not disabled. Notifications for other endpoints are dropped.
    fn keep(&mut self, endpoints: &[(String, String)]) -> Result<(), QueueError>;

    /// Returns an endpoint's first due batch; empty if there is none.
    fn due(&self, endpoint: &str, now: Timestamp) -> Result<Vec<PendingNotification>, QueueError>;

    /// Removes a delivered batch; ends the endpoint's hold and re-enables it.
    fn delivered(&mut self, endpoint: &str, batch: &str, now: Timestamp) -> Result<(), QueueError>;

    /// Records a failed batch: it is retried at `again`, or dropped if that is `None`. The endpoint is held until
    /// `hold`.
    fn failed(
        &mut self,
        endpoint: &str,
        batch: &str,
        now: Timestamp,
        why: &str,
        again: Option<Timestamp>,
        hold: Option<Timestamp>,
    ) -> Result<(), QueueError>;

    /// Disables an endpoint and drops its pending notifications.
    fn disable(&mut self, endpoint: &str, now: Timestamp) -> Result<u64, QueueError>;

    /// Returns the endpoints' states, by name.
    fn endpoints(&self) -> Result<Vec<EndpointState>, QueueError>;
}

/// The outcome of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Delivered; with the recipient's response in a few words.
    Taken(String),
    /// Failed, with the reason in words without secrets.
    Failed {
        /// The reason.
        why: String,
        /// How many seconds to hold other deliveries.
        hold_seconds: Option<u64>,
    },
    /// The endpoint wants no further notifications.
    Gone,
}

/// Delivers notifications to one endpoint.
pub trait Messenger: Send + Sync {
    /// Sends a batch, within its own deadline. `batch` is the same for every attempt.
    fn send(&self, batch: &str, notices: &[Notification], now: Timestamp) -> Delivery;
}
