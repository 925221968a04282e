//! A parsed comment: what it demands, in which language, and what surrounds the demand.
//!
//! Patterns only, no understanding: the subject and the direction of a demand are not decided here. All patterns run in
//! linear time, and only the first 8,000 characters are read.

mod language;
mod parse;
mod parts;
mod pasted;
mod pointer;
mod split;
mod suggestion;
#[cfg(test)]
mod tests;
mod text;
mod wrapper;

pub use language::Language;
pub use parse::{compared, read, sentence, unwrap};
pub use parts::{SetAside, SurroundingPart, TakenApart};
pub use pasted::own_words;
pub use suggestion::{Suggestion, beside_suggestions, suggestion};
