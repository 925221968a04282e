//! The inbox for what forges send, until it is passed on.

use super::bus::BusError;
use serde_json::Value;

/// What parts become, stored atomically with their removal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandOver {
    /// For the stream of decisions.
    pub decisions: Vec<Value>,
    /// For the stream of reviews.
    pub reviews: Vec<Value>,
    /// Everything said in the review so far.
    pub said: Vec<String>,
}

/// Holds pending parts of reviews. Every call may block.
pub trait ForgeInbox: Send + Sync {
    /// Stores a part, unless one of the same delivery was stored before; returns whether it was stored. It is then as
    /// durable as Redis.
    ///
    /// # Errors
    /// If Redis cannot be reached or returns an error.
    fn put(&self, delivery: &str, part: &str) -> Result<bool, BusError>;

    /// Returns the pending parts in order of arrival, each with its entry's id.
    ///
    /// # Errors
    /// As [`ForgeInbox::put`].
    fn waiting(&self) -> Result<Vec<(String, String)>, BusError>;

    /// Returns what was passed on from a review before, as far as remembered; `id` is that of its decision.
    ///
    /// # Errors
    /// As [`ForgeInbox::put`].
    fn said(&self, id: &str) -> Result<Vec<String>, BusError>;

    /// Atomically appends what a review's parts became, remembers what was said and removes the parts; returns false,
    /// doing nothing, if a part is gone or more was said than `known`.
    ///
    /// # Errors
    /// As [`ForgeInbox::put`].
    fn hand_over(&self, id: &str, known: &[String], parts: &[String], handed: &HandOver) -> Result<bool, BusError>;
}
