//! Where what forges send waits until it is handed over.

use super::bus::BusError;
use serde_json::Value;

/// What parts become, all of it in one step with their removal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Handed {
    /// For the stream of decisions.
    pub decisions: Vec<Value>,
    /// For the same stream, in place of `decisions` where parts of the same review were handed over before.
    pub late: Vec<Value>,
    /// For the stream of reviews.
    pub reviews: Vec<Value>,
    /// For the stream of what forges told of earlier things.
    pub told: Vec<Value>,
}

/// Where parts of reviews wait. Every call may block.
pub trait ForgeInbox: Send + Sync {
    /// Keeps a part, unless one of the same delivery was kept before; says whether it was kept. It is durable then, as far
    /// as Redis is.
    ///
    /// # Errors
    /// When Redis cannot be reached or refuses.
    fn put(&self, delivery: &str, part: &str) -> Result<bool, BusError>;

    /// The parts that wait, in the order in which they came, each with the id of its entry.
    ///
    /// # Errors
    /// As [`ForgeInbox::put`].
    fn waiting(&self) -> Result<Vec<(String, String)>, BusError>;

    /// Appends what the parts of a review became and removes them, in one step; says false, and does nothing, where
    /// somebody else did it.
    ///
    /// # Errors
    /// As [`ForgeInbox::put`].
    fn hand_over(&self, key: &str, parts: &[String], handed: &Handed) -> Result<bool, BusError>;
}
