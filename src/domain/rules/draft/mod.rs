//! A pattern becomes a proposal.
//!
//! In come groups with their remarks, and the answers of a language model where one is configured. Out go the text of a
//! rule, its kind, its evidence and how sure it is; or why there can be none. Who approves it is not known here. It looks
//! into neither of the other two parts of `rules`.

pub mod advice;
pub mod kind;
pub mod proposal;
pub mod recalibration;
pub mod restate;
