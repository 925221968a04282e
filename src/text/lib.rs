//! What texts say: the demands in a comment, the catalogue of concerns, similarity, and redaction.
//!
//! Pure: no I/O and no clock. This crate alone is optimised in development builds, because reading a comment compares it with some
//! thousand vectors and expressions.

pub mod ids;
pub mod language;
pub mod prose;
pub mod redact;
pub mod verdict;
pub mod yaml;
