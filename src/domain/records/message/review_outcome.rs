//! A published review outcome.

use crate::intake::submission::ReviewAction;
use crate::records::record::Refusal;
use crate::records::review_status::{ReviewOutcome, ReviewedStatus};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The outcome of a review: tells its sender whether it counts, and what followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewOutcomeMessage {
    /// The review.
    pub review_id: String,
    /// The decision.
    pub action: ReviewAction,
    /// The id of its subject: a proposal, a rule, feedback, a cluster, a person; `all rules`, `ROSTER`.
    pub subject: String,
    /// The reviewer.
    pub reviewer_id: String,
    /// When, according to the reviewer.
    pub decided_at: Timestamp,
    /// Whether it counts.
    pub outcome: ReviewOutcome,
    /// Why it does not count, if so.
    pub refusal: Option<Refusal>,
    /// The effect, in words.
    pub effect: Option<String>,
    /// The resulting status of the proposal or rule, if it is about one.
    pub standing: Option<ReviewedStatus>,
    /// The key of the stream it was read from.
    pub stream: String,
    /// The entry's id there.
    pub entry_id: String,
    /// The record in the store.
    pub record: String,
}
