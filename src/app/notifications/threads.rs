//! Dependencies of the notification threads.

use super::endpoint::Endpoint;
use super::enqueue::TakingUp;
use crate::ports::{Clock, NotificationQueue, QueueError};
use std::sync::Arc;

/// Opens the queue.
pub type OpenQueue = Box<dyn Fn() -> Result<Box<dyn NotificationQueue>, QueueError> + Send + Sync>;

/// The notification service.
pub struct NotificationService {
    /// The producer of queued notifications.
    pub taking_up: TakingUp,
    /// The recipients.
    pub endpoints: Arc<Vec<Endpoint>>,
    /// Opens the queue, for each endpoint.
    pub open_queue: OpenQueue,
    /// Returns the time.
    pub clock: Arc<dyn Clock>,
}
