//! What can happen to a rule, and the table of where each command leads.

use crate::records::record::ProposalStatus;

/// What shall happen to a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A person says yes to the present text.
    Approve {
        /// Who.
        by: String,
        /// The review's id.
        review_id: String,
        /// The hash of the text this person saw.
        content_hash: Option<String>,
        /// Whether the review was signed.
        signed: bool,
    },
    /// A person says no. One no suffices.
    Reject {
        /// Who.
        by: String,
        /// The hash of the text this person saw.
        content_hash: Option<String>,
        /// Why; required.
        reason: Option<String>,
    },
    /// A person gives it another text: a new version, and earlier approvals are void.
    Modify {
        /// Who.
        by: String,
        /// The hash of the text this person saw.
        content_hash: Option<String>,
        /// The new text.
        content: String,
        /// Why.
        reason: Option<String>,
    },
    /// A model words a proposal better than it was made, while nobody has said anything about it.
    Reword {
        /// Which model: `model:<name>`.
        by: String,
        /// The hash of the text the model saw.
        content_hash: String,
        /// The new title.
        title: String,
        /// The new text.
        content: String,
        /// What the model gives as the reason.
        reason: String,
    },
    /// Somebody edited the text in Git; the record has the new text, and the hash of the earlier one.
    Edit {
        /// Who committed it.
        by: String,
        /// The text it had before, where it could be found.
        earlier: Option<String>,
    },
    /// Its hash is of the first form, which was of the text alone: it gets one of the present form, as a new version.
    Rehash,
    /// People are reminded that it waits.
    Remind,
    /// Nobody decided in time.
    Expire,
    /// It comes into force: it is approved, and there is room.
    Activate,
    /// It is approved or in force, and the records say that too few people approved it.
    SetAside {
        /// What is missing.
        reason: String,
        /// The ids of the reviews that do count.
        valid: Vec<String>,
    },
    /// It is in force and does not help.
    Flag {
        /// Why, in words and figures.
        reason: String,
        /// The proposal to retire it.
        proposal: Option<String>,
    },
    /// It helps after all, or people want to keep it.
    Clear {
        /// Why.
        reason: String,
    },
    /// It leaves force.
    Retire {
        /// Who decided; absent where another rule took its place.
        by: Option<String>,
        /// Why; required.
        reason: Option<String>,
    },
    /// A person takes its approval back.
    RollBack {
        /// Who.
        by: String,
        /// Why; required.
        reason: Option<String>,
    },
    /// Its evidence was withdrawn, and what is left is no pattern.
    Withdraw {
        /// Why.
        reason: String,
    },
}

/// The kinds of command, for the table of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// [`Command::Approve`], the last one that is needed.
    Approve,
    /// [`Command::Reject`]
    Reject,
    /// [`Command::Modify`], [`Command::Edit`]; where it is open [`Command::Rehash`], and from PENDING only
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

/// Every change of status there is.
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
