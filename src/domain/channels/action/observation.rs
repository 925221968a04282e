//! An attempt with an approach, and its outcome: the unit of learning.

use super::approach::Approach;
use super::signature::Signature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether an approach helped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It helped.
    Success,
    /// It did not help.
    Failure,
    /// It helped partly.
    Partial,
}

/// The use of an approach in a situation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The failure that it answered.
    pub situation: Signature,
    /// The approach.
    pub approach: Approach,
    /// Whether it helped.
    pub outcome: Outcome,
    /// The agent that tried it; empty in records of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Whether the approach was an available tool.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_tool: bool,
    /// Whether this withdraws an earlier observation that a later event proved wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
}
