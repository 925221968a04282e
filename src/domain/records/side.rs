//! One side of a contradiction, as stored and published.

use crate::text::language::direction::Direction;
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One side of a contradiction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// The feedback.
    pub feedback_id: String,
    /// Who said it.
    pub reviewer_id: String,
    /// The verdict.
    pub decision: Verdict,
    /// When it was made.
    pub timestamp: Timestamp,
    /// Its direction.
    pub direction: Direction,
    /// The text, shortened.
    pub text: String,
    /// Calibrated similarity to this feedback, 0 to 1; absent on this side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The path of its record in the store.
    pub record: String,
}
