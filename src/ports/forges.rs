//! Where what forges send waits until it is handed over.

use super::bus::BusError;
use serde_json::Value;

/// What parts become, all of it in one step with their removal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Handed {
    /// For the stream of decisions.
    pub decisions: Vec<Value>,
    /// For the stream of reviews.
    pub reviews: Vec<Value>,
    /// All that was said of the review by now.
    pub said: Vec<String>,
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

    /// What was handed over of a review before, as far as that is remembered; `id` is that of its decision.
    ///
    /// # Errors
    /// As [`ForgeInbox::put`].
    fn said(&self, id: &str) -> Result<Vec<String>, BusError>;

    /// Appends what the parts of a review became, remembers what was said and removes the parts, in one step; says false,
    /// and does nothing, where one of the parts is gone or more was said than `known`.
    ///
    /// # Errors
    /// As [`ForgeInbox::put`].
    fn hand_over(&self, id: &str, known: &[String], parts: &[String], handed: &Handed) -> Result<bool, BusError>;
}
