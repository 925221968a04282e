//! What was said on a forge before anybody listened, or while its webhooks were lost: pull requests are read by the forge's
//! API and become the decisions that its webhooks would have brought.
//!
//! It goes pull request by pull request in the order of their last change, and takes note after each: who is interrupted
//! goes on there. What comes twice is known by its id, so that nothing depends on the note.

mod client;
mod cursor;
mod gerrit;
mod import;
mod probe;
mod pull_requests;
mod summary;
pub(crate) mod tally;

pub use super::clone::{CloneError, CloneTally, CloneWatcher, Cloned, ClonedError, Source, SourceTally, Wanted};
pub(crate) use client::Asking;
pub use client::HistoryError;
pub use cursor::Noted;
pub use import::{History, Span};
pub use probe::Greeted;
pub use tally::{TOO_LARGE, Tally, Watcher};
