//! Whether a rule repeats an agent's prompt or a rule in force, and which sentence it repeats.
//!
//! Two sentences are the same if they ask for the same thing in the same direction, by their vectors or by their words.
//! Computing vectors and reading files are done elsewhere.

mod compare;
mod sentences;

pub use compare::{KnownSentence, RESTATES_AT, Restatement, restates};
pub use sentences::{Sentence, sentences};
