//! Results from the store, with the commit they reflect.

use crate::text::ids::CommitId;

/// A query result, and the commit it reflects.
pub struct Snapshot<T> {
    /// The result.
    pub it: T,
    /// The commit.
    pub commit: Option<CommitId>,
}
