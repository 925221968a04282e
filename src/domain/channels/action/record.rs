//! The stored form of an action: one JSON file per event, `actions/<yyyy>/<mm>/<dd>/<id>.json` (specification, "The
//! store").
//!
//! Everything that was learned can be rebuilt from these records alone.

use super::answer::ActionFeedback;
use super::cause::Cause;
use super::observation::Observation;
use super::result::ActionResult;
use super::signature::Signature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The record's schema.
pub const ACTION_SCHEMA: &str = "feedbackd.action/1";

/// An action, the answer to the agent, and what was learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionRecord {
    /// `feedbackd.action/1`
    pub schema: String,
    /// The report.
    pub result: ActionResult,
    /// The signature shared with failures of the same cause.
    pub signature: Signature,
    /// The class of its cause.
    pub class: Cause,
    /// The words that indicate the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<String>,
    /// The chain it belongs to.
    pub chain: String,
    /// Its number in the chain, from 1.
    pub position: u32,
    /// The answer to the agent.
    pub feedback: ActionFeedback,
    /// What was learned from its arrival; may concern the previous attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taught: Vec<Observation>,
}
