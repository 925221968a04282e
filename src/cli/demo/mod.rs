//! `demo`: the whole loop on a private Redis server and a private store, shown step by step: people correct an agent, a
//! rule is proposed, two of them approve it, the agent reads it, and its effect is measured.
//!
//! Everything is real: a separate Redis server, the daemon as a separate process, a Git repository that remains.

mod people;
mod show;
mod stage;
mod story;

pub use story::{Args, run};
