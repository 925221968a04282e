//! What a program's output or a person's words say about the work before them: it failed to run, it failed its
//! checks, it was rejected, it is nearly right, or nothing of the kind (specification, "Refinement: Failure signals").
//!
//! Facts come first (exit code, a runner's report, the tool), then guarded cues, then the specification's own
//! patterns as the base set. Guards are idioms and benign phrases whose words the patterns would take for a failure or
//! a rejection ("0 failed", "error handling", "no problem", "not wrong", quotations, code): what a guard covers no cue
//! and no base pattern sees. A base pattern alone counts only where a person speaks, and briefly. What to do about a
//! signal is `refine`'s work; whether the next turn of a conversation accepts an answer is another module's.

mod calibrate;
mod detect;
mod evidence;
mod facts;
mod failure;
mod failure_cues;
#[cfg(test)]
mod failure_tests;
mod failures;
mod language;
mod language_cues;
pub mod patterns;
mod report;
mod stance;
#[cfg(test)]
mod tests;
mod text;
mod tools;

pub use calibrate::expected_calibration_error;
pub use detect::{detect, predict_failure, readable};
pub use evidence::{Cue, Facts, MAX_CUES, Observation, Prediction, Signal, SignalKind};
pub use stance::{STANCE_LABELS, examples, features, predict_stance, train_stance};
