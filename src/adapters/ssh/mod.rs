//! The system's `ssh` as a child process that reports line by line what happens on another machine.
//!
//! No local shell is involved: each argument is passed as is. The child has no terminal and prompts for nothing. It
//! ends with its listener.

#![allow(clippy::disallowed_types, reason = "this is the adapter that runs ssh")]

mod child;
mod lines;
mod options;

pub use child::SshStreams;
pub use options::SshOptions;
