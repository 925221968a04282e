//! Reviews on a forge from before the connection existed or while its webhooks were lost: pull requests are read
//! through the forge's API and become the decisions that its webhooks would have sent.
//!
//! It goes through pull requests in the order of their last change and records progress after each, so an interrupted
//! run resumes there. Repeats are recognised by their ids, so nothing depends on the note.

mod client;
mod cursor;
mod gerrit;
mod import;
mod probe;
mod pull_requests;
mod summary;
pub(crate) mod tally;

pub use super::clone::{
    CloneError, CloneScope, CloneSource, CloneTally, CloneWatcher, ClonedError, Source, SourceTally,
};
pub(crate) use client::ApiClient;
pub use client::HistoryError;
pub use cursor::SkippedNote;
pub use import::{History, Span};
pub use probe::ProbeResult;
pub use tally::{TOO_LARGE, Tally, Watcher};
