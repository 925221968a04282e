//! What a program's output or a person's words indicate about the work: a runtime failure, a verification failure, a
//! rejection, a partial success, or none of these (specification, "Refinement: Failure signals").
//!
//! Facts come first (exit code, a runner's report, the tool), then guarded cues, then the specification's own patterns
//! as the base set. Guards are idioms and benign phrases that the patterns would take for a failure or a rejection ("0
//! failed", "error handling", "no problem", "not wrong", quotations, code). Neither cues nor base patterns see what a
//! guard covers. A base pattern alone counts only in a short text by a person. `refine` decides how to act on a signal;
//! another module decides whether the next turn of a conversation accepts an answer.

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
