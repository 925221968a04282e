//! Decisions on proposals.
//!
//! Input: the actions of people and of the clock on a proposal, the roster and the quorum. Output: its next state, or
//! why it is unchanged; whether a signature is that person's; and which roster version is in force. It may use
//! `drafting`, not `in_force`.

pub mod approvals;
pub mod quorum;
pub mod roster;
pub mod roster_edit;
pub mod rule;
pub mod signature;
pub mod signer;
pub mod succession;
