//! What texts say: the leaves of the domain that reading needs, and the room `language`.
//!
//! A crate of its own, so that this alone is optimised in development builds. Its modules have the paths that they have in
//! `feedbackd`, which hands them on.

/// The part of the domain that reads texts.
#[path = "../domain"]
pub mod domain {
    pub mod ids;
    pub mod language;
    pub mod prose;
    pub mod redact;
    pub mod verdict;
    pub mod yaml;
}
