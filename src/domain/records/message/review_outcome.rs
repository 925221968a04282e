//! What became of a review as it is published.

use crate::intake::submission::ReviewAction;
use crate::records::record::Refusal;
use crate::records::review_status::{ReviewOutcome, Standing};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of a review: whoever sent it learns whether it counts, and what followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewOutcomeMessage {
    /// The review.
    pub review_id: String,
    /// What was decided.
    pub action: ReviewAction,
    /// The id of what it is about: a proposal, a rule, feedback, a group, a person; `all rules`, `ROSTER`.
    pub subject: String,
    /// Who decided.
    pub reviewer_id: String,
    /// When, as the reviewer says.
    pub decided_at: Timestamp,
    /// Whether it counts.
    pub outcome: ReviewOutcome,
    /// Why it does not, where it does not.
    pub refusal: Option<Refusal>,
    /// What followed, in words.
    pub effect: Option<String>,
    /// How the proposal or rule stands since, where it is about one.
    pub standing: Option<Standing>,
    /// The stream's key that it was read from.
    pub stream: String,
    /// The entry's id there.
    pub entry_id: String,
    /// The record in the store.
    pub record: String,
}
