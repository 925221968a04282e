//! Turns a pattern into a proposal.
//!
//! Input: clusters with their comments, and a language model's answers if one is configured. Output: a rule's text,
//! kind, evidence and confidence, or why there can be none. Approvers are not known here. It uses neither of the other
//! two parts of `rules`.

pub mod advice;
pub mod kind;
pub mod proposal;
pub mod recalibration;
pub mod restate;
