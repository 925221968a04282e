//! Telling people and programs what happened: a second cursor over the same history as publishing, and a queue on disk.
//!
//! What is told follows what is published, and never holds it up: the queue is filled and emptied on threads of their own.
//! A notice arrives at least once, under the same id each time.

use crate::ports::{Clock, NoticeQueue, QueueError};
use std::sync::Arc;

mod deliver;
mod endpoint;
mod retry;
mod take_up;

pub use crate::ports::{Delivery, EndpointState};
pub use deliver::{Delivering, deliver_next};
pub use endpoint::{Endpoint, Every};
pub use take_up::{OpenStore, Published, TakeUpError, TakingUp};

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
