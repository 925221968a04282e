//! What in a clone says something of reviews.

use strum::{EnumIter, EnumString, IntoStaticStr, VariantNames};

/// What in a clone says something of reviews, in the order in which it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumIter, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Source {
    /// Gerrit's own notes of each change.
    Changes,
    /// The votes on submitted changes, in `refs/notes/review`.
    Votes,
    /// What git-appraise notes.
    Discussions,
    /// Commits that take others back and say why.
    Reverts,
    /// Trailers by which people approve.
    Trailers,
}

impl Source {
    pub fn name(self) -> &'static str {
        self.into()
    }
}
