//! What the store keeps of an action: one JSON file an event, `actions/<yyyy>/<mm>/<dd>/<id>.json` (specification, "The
//! store").
//!
//! Everything that was learned can be made again from these records alone.

use super::answer::ActionFeedback;
use super::cause::Cause;
use super::observation::Observation;
use super::result::ActionResult;
use super::signature::Signature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The record's schema.
pub const ACTION_SCHEMA: &str = "feedbackd.action/1";

/// An action, what was said to the agent, and what was learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionRecord {
    /// `feedbackd.action/1`
    pub schema: String,
    /// What was reported.
    pub result: ActionResult,
    /// What it shares with failures of the same cause.
    pub signature: Signature,
    /// The class of its cause.
    pub class: Cause,
    /// The words that show the class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<String>,
    /// The chain it belongs to.
    pub chain: String,
    /// Its number in the chain, from 1.
    pub position: u32,
    /// What was said to the agent.
    pub feedback: ActionFeedback,
    /// What its arrival taught: it may concern the attempt before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taught: Vec<Observation>,
}
