//! One side of a contradiction, as it is kept and as it is published.

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
    /// When.
    pub timestamp: Timestamp,
    /// Which way it points.
    pub direction: Direction,
    /// What was said, shortened.
    pub text: String,
    /// Calibrated similarity to this feedback, 0 to 1; absent on this side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// Its record in the store.
    pub record: String,
}
