//! The Git host that holds the store too.

mod copy;
mod schedule;

pub use copy::{Join, RemoteCopy, RemoteReport};
pub use schedule::Schedule;
