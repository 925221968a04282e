//! What was found in the store, and as it stood when.

use crate::text::ids::CommitId;

/// What a question found, and the commit that it is true of.
pub struct Seen<T> {
    /// What was found.
    pub it: T,
    /// The commit.
    pub commit: Option<CommitId>,
}
