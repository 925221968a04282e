//! The life of a rule as one pure function (specification, "Rules"): proposed, versions, approved, active, flagged, and
//! its end states.
//!
//! [`transition`] handles one rule. Effects on others (the rule that leaves to make room) are the caller's
//! responsibility, as is everything that needs more than the rule's own record: signatures, restatements, measured
//! effects. [`MOVES`] lists which command leads from where to where; the diagram in `docs/design.md` is drawn from it.

mod command;
mod conditions;
#[cfg(test)]
mod tests;
mod transition;

pub use command::{Command, MOVES, Move, NO_NOTE, RuleNotes};
pub use conditions::Terms;
pub use transition::{Transition, due, newborn, transition};
