//! What was said on a forge before anybody listened, or while its webhooks were lost: pull requests are read by the forge's
//! API and become the decisions that its webhooks would have brought.
//!
//! It goes pull request by pull request in the order of their last change, and takes note after each: who is interrupted
//! goes on there. What comes twice is known by its id, so that nothing depends on the note.

mod asking;
mod checking;
mod cloned;
mod cursor;
mod gerrit;
mod importing;
mod listed;
mod reading;
mod tally;

pub(in crate::app) use asking::Asking;
pub use asking::HistoryError;
pub use checking::Greeted;
pub use cloned::{CloneError, CloneTally, CloneWatcher, Cloned, ClonedError, Source, SourceTally, Wanted};
pub use cursor::Noted;
pub use importing::{History, Span};
pub use tally::{TOO_LARGE, Tally, Watcher};
