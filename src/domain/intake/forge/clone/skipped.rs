//! Why something that a clone holds teaches nothing.

use strum::{IntoStaticStr, VariantNames};

/// Why something that a clone holds is left out. What [`Reason`](super::super::Reason) says of forges holds as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Left {
    /// It is not written as such a note is.
    Unreadable,
    /// It is larger than anything that people write.
    TooLarge,
    /// It lacks what such a thing has, or the clone lacks its beginning.
    Incomplete,
    /// It was written by one account in the name of another.
    AnotherPerson,
    /// It was said outside of the time that was asked for.
    OtherTime,
    /// The same is said by notes that say more of it.
    SaidBetter,
    /// A program said it.
    Bot,
    /// A revert that does not say why.
    NoReason,
    /// A revert because of something else than the work: a release, a mistake in merging, another revert.
    OtherReason,
    /// A revert of something that was meant to be taken back: a test that was skipped, another revert.
    Stopgap,
    /// A revert of several commits, or of a part of one.
    NotOneCommit,
    /// The reverted commit is not in the clone.
    CommitMissing,
    /// A revert of a merge of several people's work.
    SeveralAuthors,
    /// A revert long after the work.
    LongAfter,
}
