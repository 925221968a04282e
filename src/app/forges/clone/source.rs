//! Sources of reviews in a clone.

use strum::{EnumIter, EnumString, IntoStaticStr, VariantNames};

/// Sources of reviews in a clone, in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumIter, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Source {
    /// Gerrit's own notes of each change.
    Changes,
    /// The votes on submitted changes, in `refs/notes/review`.
    Votes,
    /// Notes by git-appraise.
    Discussions,
    /// Commits that revert others and say why.
    Reverts,
    /// Trailers by which people approve.
    Trailers,
}

impl Source {
    pub fn name(self) -> &'static str {
        self.into()
    }
}
