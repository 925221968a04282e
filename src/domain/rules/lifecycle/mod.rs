//! A proposal is decided.
//!
//! In come what people and the clock do to a proposal, the roster and the quorum. Out goes its next state, or why it stays
//! as it is; whether a signature is that person's; and which version of the roster is in force. It may look into `drafting`,
//! not into `in_force`.

pub mod approvals;
pub mod quorum;
pub mod roster;
pub mod roster_edit;
pub mod rule;
pub mod signature;
pub mod signer;
pub mod succession;
