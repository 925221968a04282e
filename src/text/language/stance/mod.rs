//! What a comment demands, and its direction (specification, "Classification"): a first reading by a table of cues.
//!
//! Knows English and a few words of German, French and Spanish. It does not know the subject of a comment; similarity
//! does. Everything behind `read_stance` can be replaced with no visible change except better results.

mod classify;
mod cues;
#[cfg(test)]
mod tests;
mod text;

pub use classify::{is_request, read_stance};
