//! A parsed form.

use serde_json::Value;

/// A submitted decision.
#[derive(Debug, PartialEq)]
pub struct FormValues {
    /// The actions to submit, in order.
    pub actions: Vec<Value>,
    /// The same in words, for its author.
    pub what: String,
    /// Its subject.
    pub subject: String,
    /// Whether it must not be held.
    pub at_once: bool,
}
