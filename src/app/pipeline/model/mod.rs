//! Questions to a language model, and what follows from its answers.

pub mod answers;
pub mod pattern_check;
pub mod pending_checks;
pub mod pending_placements;
pub mod pending_readings;
pub mod placement;
pub mod progress;
pub mod queue;
pub mod quotes;
pub mod readings;
pub mod reread;
