//! Makes a failing prompt better by what the feedback says (specification, "Refinement: The loop"), and tells whether
//! that helped.
//!
//! It writes no prompt of its own: it adds lines from the specification's templates, filled with words of the
//! feedback. Detecting the feedback is `signal`'s work; publishing and storing the outcome is others'.

mod actions;
mod analysis;
mod effect;
mod fill;
mod instruction;
mod iterate;
mod outcome;
#[cfg(test)]
mod tests;

pub use actions::{Action, ActionKind, Placeholder, REFINEMENT_MAPPING, actions_for};
pub use analysis::{Analysis, Criterion, analyze};
pub use effect::{ActionEffect, Effectiveness, settle};
pub use iterate::{HARD_LIMIT, MAX_PROMPT_CHARS, MAX_SIGNAL_CHARS, RefineConfig, refine};
pub use outcome::{LogEntry, Outcome, Stopped};
