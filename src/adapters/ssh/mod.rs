//! The system's `ssh` as a child that says line by line what happens on another machine.
//!
//! No shell here takes part: each argument is one. The child has no terminal and asks nothing; it is ended and reaped with
//! whoever listens to it.

#![allow(clippy::disallowed_types, reason = "this is the adapter that runs ssh")]

mod child;
mod lines;
mod options;

pub use child::SshStreams;
pub use options::SshOptions;
