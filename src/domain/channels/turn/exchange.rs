//! A turn and what the user said next: the input of the judge.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A turn and what the user said next.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Exchange {
    /// What the user asked in the judged turn.
    pub previous_query: String,
    /// What the assistant answered; may be empty if unknown.
    pub previous_response: String,
    /// What the user said next.
    pub text: String,
    /// Calibrated similarity of the two queries, 0 to 1 (0.8: four of five such pairs mean the same). From an embedder;
    /// without one, only the words are compared.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub similarity: Option<f64>,
}
