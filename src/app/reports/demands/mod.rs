//! What reviewers keep asking for, with the evidence: asked by page, API, command and dry run, so that all say the same.
//!
//! Reads store and index, changes neither. It looks at every remark once, and at the records of those that are quoted.

mod query;
mod rehearsal;
mod skipped;

pub use crate::domain::reporting::demands::{Demands, LeftOut};
pub use query::{DemandFilter, MOST, SHOWN, demands, puzzles};
pub use rehearsal::{Rehearsal, RehearsalError, Rehearsed};
pub use skipped::{left_out, left_out_of};
