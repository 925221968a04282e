//! `review`: a person decides pending items one at a time, with single keys. Full screen on a terminal; otherwise the
//! inbox as text.
//!
//! Decisions are submitted like every review: the screen only holds them back for a while.

mod action;
mod command;
mod detail;
mod draw;
mod entry;
mod keyboard;
mod keys;
mod line;
mod live;
mod screen;
mod state;
#[cfg(test)]
mod tests;

pub use command::{Args, run};
