//! A remark taken apart: what it demands, in which language, and what stands around the demand.
//!
//! Patterns, no understanding: what a demand is about, and which way it points, is not decided here. All patterns
//! run in linear time, and only the first 8,000 characters are looked at.

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
pub use parts::{Aside, SetAside, TakenApart};
pub use pasted::own_words;
pub use suggestion::{Suggestion, beside_suggestions, suggestion};
