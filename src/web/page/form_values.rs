//! What somebody filled in, read.

use serde_json::Value;

/// A decision that was filled in.
#[derive(Debug, PartialEq)]
pub struct Filled {
    /// What is handed in, one after the other.
    pub actions: Vec<Value>,
    /// The same in words, for whoever decided it.
    pub what: String,
    /// What it is about.
    pub subject: String,
    /// Whether it must not wait.
    pub at_once: bool,
}
