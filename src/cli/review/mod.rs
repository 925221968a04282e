//! `review`: a person decides what waits, one thing after the other, with a key each. A full screen where there is a
//! terminal; else the inbox as text.
//!
//! What is decided goes the way of every review: the screen only holds it back for a while.

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
