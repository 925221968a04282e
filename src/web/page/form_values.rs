//! A parsed form.

use serde_json::Value;

/// A submitted decision.
#[derive(Debug, Default, PartialEq)]
pub struct FormValues {
    /// The actions to submit, in order.
    pub actions: Vec<Value>,
    /// The same in words, for its author.
    pub what: String,
    /// Its subject; empty if it has several.
    pub subject: String,
    /// The pending items that it settles.
    pub items: Vec<String>,
    /// Whether each action counts whatever becomes of the others.
    pub independent: bool,
    /// Whether it must not be held.
    pub at_once: bool,
}
