//! That an approach was tried, and what came of it: the unit of what is learned.

use super::approach::Approach;
use super::signature::Signature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether an approach helped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did.
    Success,
    /// It did not.
    Failure,
    /// In part.
    Partial,
}

/// That an approach was tried in a situation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The failure that it answered.
    pub situation: Signature,
    /// The approach.
    pub approach: Approach,
    /// Whether it helped.
    pub outcome: Outcome,
    /// The agent that tried it; empty in records of earlier programs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Whether the approach was among the tools that were available.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_tool: bool,
    /// Whether this takes an earlier observation back: a later event showed that it was wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
}
