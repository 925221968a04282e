//! A clone's own words: what people said of work is read from its notes and commits, and becomes the decisions that a forge
//! would have brought. No network is used, and no note taken: what comes twice is known by its id.

mod notes;
mod source;
mod tally;
mod walk;
mod work;

pub use crate::ports::CloneError;
pub use source::Source;
pub use tally::{CloneTally, CloneWatcher, SourceTally};
pub use walk::{Cloned, ClonedError, Wanted};
