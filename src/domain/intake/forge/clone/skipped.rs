//! Why something in a clone is left out.

use strum::{IntoStaticStr, VariantNames};

/// Why something in a clone is left out. The reasons in [`Reason`](super::super::Reason) apply as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum SkipReason {
    /// It does not have the format of such a note.
    Unreadable,
    /// Larger than anything people write.
    TooLarge,
    /// It lacks required parts, or the clone lacks its beginning.
    Incomplete,
    /// It was written by one account in the name of another.
    AnotherPerson,
    /// It is outside the requested period.
    OtherTime,
    /// More detailed notes state the same.
    SaidBetter,
    /// It was written by a program.
    Bot,
    /// A revert without a reason.
    NoReason,
    /// A revert for a reason other than the work: a release, a merge mistake, another revert.
    OtherReason,
    /// A revert of something temporary: a skipped test, another revert.
    Stopgap,
    /// A revert of several commits, or of part of one.
    NotOneCommit,
    /// The reverted commit is not in the clone.
    CommitMissing,
    /// A revert of a merge of several people's work.
    SeveralAuthors,
    /// A revert long after the work.
    LongAfter,
}
