//! Notifying people and programs of events: a second cursor over the same history as publishing, and a queue on disk.
//!
//! Notifications follow publishing and never delay it: separate threads fill and drain the queue. A notification is
//! delivered at least once, under the same id each time.

mod deliver;
mod endpoint;
mod enqueue;
mod retry;
mod threads;

pub use crate::ports::{Delivery, EndpointState};
pub use deliver::{DeliveryRound, deliver_next};
pub use endpoint::{Endpoint, Every};
pub use enqueue::{OpenStore, PublishedUpTo, TakeUpError, TakingUp};
pub use threads::{NotificationService, OpenQueue};
