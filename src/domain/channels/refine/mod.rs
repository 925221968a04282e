//! Refinement of failing prompts by feedback (specification, "Refinement: The loop"), and its effect.
//!
//! It writes no prompts: it adds lines from the specification's templates, filled with words of the feedback. `signal`
//! detects the feedback; publishing and storing the outcome happen elsewhere.

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
pub use outcome::{LogEntry, Outcome, StopReason};
