//! Publishing of messages derived from commits, once each and in order, resumable after a kill at any point.

mod catch_up;
mod cursor;
pub mod outbox;
mod spans;
mod steps;
mod traces;

pub use crate::ports::BusError;
pub use catch_up::Outbox;
pub use cursor::{OutboxPublisher, Position, Step, read_note};
pub use spans::Member;
pub use steps::Moments;
pub use traces::{BatchSpans, Traces};
