//! Commands on a rule, and the table of their transitions.

use crate::records::record::ProposalStatus;

/// Stands for no reason or no concern, where an empty text counts as absent.
pub const NO_NOTE: &str = "-";

/// Changes of what is beside a rule's text: unchanged if absent, removed if [`NO_NOTE`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleNotes {
    /// Why it improves the work.
    pub why: Option<String>,
    /// The concern by which it is measured.
    pub concern: Option<String>,
}

/// A command on a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A person approves the present text.
    Approve {
        /// That person.
        by: String,
        /// The review's id.
        review_id: String,
        /// The hash of the text this person saw.
        content_hash: Option<String>,
        /// Whether the review was signed.
        signed: bool,
    },
    /// A person rejects it. One rejection suffices.
    Reject {
        /// That person.
        by: String,
        /// The hash of the text this person saw.
        content_hash: Option<String>,
        /// Why; required.
        reason: Option<String>,
    },
    /// A person replaces the text: a new version, which voids earlier approvals.
    Modify {
        /// That person.
        by: String,
        /// The hash of the text this person saw.
        content_hash: Option<String>,
        /// The new text.
        content: String,
        /// What else about it changes. This alone makes no new version: it has no effect on any prompt.
        notes: RuleNotes,
        /// The reason.
        reason: Option<String>,
    },
    /// A model improves a proposal's wording before any decision on it.
    Reword {
        /// The model: `model:<name>`.
        by: String,
        /// The hash of the text the model saw.
        content_hash: String,
        /// The new title.
        title: String,
        /// The new text.
        content: String,
        /// The model's reason.
        reason: String,
    },
    /// The text was edited in Git; the record has the new text and the earlier one's hash.
    Edit {
        /// The committer.
        by: String,
        /// The earlier text, if found.
        earlier: Option<String>,
    },
    /// Its hash is of the first form, which covered the text alone: it gets one of the present form, as a new version.
    Rehash,
    /// People are reminded that it is pending.
    Remind,
    /// It was not decided in time.
    Expire,
    /// It comes into force: it is approved, and there is room.
    Activate,
    /// It is approved or in force, but the records show too few approvals.
    SetAside {
        /// What is missing.
        reason: String,
        /// The ids of the valid reviews.
        valid: Vec<String>,
    },
    /// It is in force but does not help.
    Flag {
        /// Why, in words and figures.
        reason: String,
        /// The proposal to retire it.
        proposal: Option<String>,
    },
    /// It helps after all, or people want to keep it.
    Clear {
        /// The reason.
        reason: String,
    },
    /// It is taken out of force.
    Retire {
        /// The person who decided; absent if another rule replaced it.
        by: Option<String>,
        /// Why; required.
        reason: Option<String>,
    },
    /// A person revokes its approval.
    RollBack {
        /// That person.
        by: String,
        /// Why; required.
        reason: Option<String>,
    },
    /// Its evidence was withdrawn, and the rest is no pattern.
    Withdraw {
        /// The reason.
        reason: String,
    },
}

/// The kinds of command in the table of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// [`Command::Approve`], the last one required.
    Approve,
    /// [`Command::Reject`]
    Reject,
    /// [`Command::Modify`], [`Command::Edit`]; if it is open also [`Command::Rehash`], and from PENDING only
    /// [`Command::Reword`]
    Change,
    /// [`Command::Expire`]
    Expire,
    /// [`Command::Activate`]
    Activate,
    /// [`Command::SetAside`]
    SetAside,
    /// [`Command::Flag`]
    Flag,
    /// [`Command::Clear`]
    Clear,
    /// [`Command::Retire`]
    Retire,
    /// [`Command::RollBack`]
    RollBack,
    /// [`Command::Withdraw`]
    Withdraw,
}

/// All status transitions.
pub const MOVES: &[(ProposalStatus, Move, ProposalStatus)] = {
    use ProposalStatus as S;
    &[
        (S::Pending, Move::Change, S::Pending),
        (S::Pending, Move::Approve, S::Approved),
        (S::Pending, Move::Reject, S::Rejected),
        (S::Pending, Move::Expire, S::Expired),
        (S::Approved, Move::Change, S::Pending),
        (S::Approved, Move::Reject, S::Rejected),
        (S::Approved, Move::Expire, S::Expired),
        (S::Pending, Move::Withdraw, S::Rejected),
        (S::Approved, Move::Withdraw, S::Rejected),
        (S::Approved, Move::Activate, S::Active),
        (S::Approved, Move::SetAside, S::Pending),
        (S::Active, Move::SetAside, S::Pending),
        (S::Flagged, Move::SetAside, S::Pending),
        (S::Active, Move::Change, S::Active),
        (S::Active, Move::Flag, S::Flagged),
        (S::Active, Move::Retire, S::Retired),
        (S::Active, Move::RollBack, S::RolledBack),
        (S::Flagged, Move::Change, S::Flagged),
        (S::Flagged, Move::Clear, S::Active),
        (S::Flagged, Move::Retire, S::Retired),
        (S::Flagged, Move::RollBack, S::RolledBack),
        (S::Active, Move::Withdraw, S::RolledBack),
        (S::Flagged, Move::Withdraw, S::RolledBack),
    ]
};
