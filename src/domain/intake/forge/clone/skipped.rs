//! Why something in a clone is left out.

use strum::{EnumString, IntoStaticStr, VariantNames};

/// Why something in a clone is left out. The reasons in [`Reason`](super::super::Reason) apply as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr, VariantNames)]
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

impl SkipReason {
    /// Returns the reason in words, as a clause.
    pub fn why(self) -> &'static str {
        match self {
            SkipReason::Unreadable => "it does not have the format of such a note",
            SkipReason::TooLarge => "it is larger than anything people write",
            SkipReason::Incomplete => "it lacks required parts, or the clone lacks its beginning",
            SkipReason::AnotherPerson => "one account wrote it in the name of another",
            SkipReason::OtherTime => "it is outside the requested period",
            SkipReason::SaidBetter => "more detailed notes state the same",
            SkipReason::Bot => "a program wrote it",
            SkipReason::NoReason => "the revert gives no reason",
            SkipReason::OtherReason => "the revert is for a reason other than the work",
            SkipReason::Stopgap => "the revert undoes something temporary",
            SkipReason::NotOneCommit => "the revert is of several commits, or of part of one",
            SkipReason::CommitMissing => "the reverted commit is not in the clone",
            SkipReason::SeveralAuthors => "the revert undoes the work of several people",
            SkipReason::LongAfter => "the revert came long after the work",
        }
    }
}
