//! What reviewers keep asking for, with the evidence. Page, API, command and dry run all use this, so they agree.
//!
//! Reads store and index, changes neither. It reads every comment once, and the records of those that are quoted.

mod query;
mod rehearsal;
mod skipped;

pub use crate::domain::reporting::demands::{Demands, LeftOut};
pub use query::{DemandFilter, MOST, SHOWN, demands, puzzles};
pub use rehearsal::{Rehearsal, RehearsalError, RehearsalOutcome};
pub use skipped::{left_out, left_out_of};
