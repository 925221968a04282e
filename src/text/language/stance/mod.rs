//! What a remark demands, and which way it points (specification, "Classification"): a first reading by a table of
//! cues.
//!
//! Knows English and a few words of German, French and Spanish. It does not know what a remark is about; that is
//! similarity's work. Everything behind `read_stance` may be replaced without anybody noticing but by better results.

mod classify;
mod cues;
#[cfg(test)]
mod tests;
mod text;

pub use classify::{is_request, read_stance};
