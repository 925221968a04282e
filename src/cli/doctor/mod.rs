//! `doctor`: checks everything the daemon needs, and reports problems and fixes.
//!
//! It creates, repairs and writes nothing, except temporary files and a key that it removes at once. Everything
//! reported as writable was actually written. A running daemon is queried as well.

pub(super) mod check;
mod daemon;
mod host;
mod models;
mod notifications;
mod redis;
mod remote;
mod roster;
mod rules;
mod run;
mod store;

pub use run::run;
