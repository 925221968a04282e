//! What the threads that tell people are given.

use super::endpoint::Endpoint;
use super::enqueue::TakingUp;
use crate::ports::{Clock, NoticeQueue, QueueError};
use std::sync::Arc;

/// Opens the queue.
pub type OpenQueue = Box<dyn Fn() -> Result<Box<dyn NoticeQueue>, QueueError> + Send + Sync>;

/// Everything that tells people.
pub struct Telling {
    /// What queues notices.
    pub taking_up: TakingUp,
    /// Who is told.
    pub endpoints: Arc<Vec<Endpoint>>,
    /// Opens the queue, for each endpoint.
    pub open_queue: OpenQueue,
    /// The time.
    pub clock: Arc<dyn Clock>,
}
