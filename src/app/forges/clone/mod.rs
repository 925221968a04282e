//! Reviews in a clone: what people said of work is read from its notes and commits, and becomes the decisions that a
//! forge would have sent. It uses no network and keeps no progress note: repeats are recognised by their ids.

mod notes;
mod source;
mod tally;
mod walk;
mod work;

pub use crate::ports::CloneError;
pub use source::Source;
pub use tally::{CloneTally, CloneWatcher, SourceTally};
pub use walk::{CloneScope, CloneSource, ClonedError};
