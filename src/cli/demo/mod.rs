//! `demo`: the whole loop on a private Redis server and a private store, told step by step: people correct an agent, a
//! rule is proposed, two of them approve it, the agent reads it, and what it did is measured.
//!
//! Everything is real: a Redis server of its own, the daemon as a process of its own, a Git repository that stays.

mod people;
mod show;
mod stage;
mod story;

pub use story::{Args, run};
