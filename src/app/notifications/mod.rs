//! Telling people and programs what happened: a second cursor over the same history as publishing, and a queue on disk.
//!
//! What is told follows what is published, and never holds it up: the queue is filled and emptied on threads of their own.
//! A notice arrives at least once, under the same id each time.

mod deliver;
mod endpoint;
mod enqueue;
mod retry;
mod threads;

pub use crate::ports::{Delivery, EndpointState};
pub use deliver::{Delivering, deliver_next};
pub use endpoint::{Endpoint, Every};
pub use enqueue::{OpenStore, Published, TakeUpError, TakingUp};
pub use threads::{OpenQueue, Telling};
