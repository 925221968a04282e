//! Whether a rule says what an agent's prompt or a rule in force says already, and which sentence says it.
//!
//! Two sentences say the same where they ask for the same thing in the same direction: by their vectors, or by their
//! words. Making vectors and reading files is not this module's work.

mod compare;
mod sentences;

pub use compare::{KnownSentence, RESTATES_AT, Restatement, restates};
pub use sentences::{Sentence, sentences};
