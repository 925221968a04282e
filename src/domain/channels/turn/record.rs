//! What is received, written and indexed for a turn: the event, metadata.json, the row of TurnIndexDB
//! (specification, "Turns: What is stored of a turn").

use super::verdict::{CorrectionType, FeedbackResult, FeedbackType};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

/// The table of TurnIndexDB with the specification's three columns and the columns needed for search.
pub const CREATE_TURNS: &str = "CREATE TABLE IF NOT EXISTS turns (
    turn_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    tenant_id TEXT,
    agent TEXT,
    timestamp TEXT NOT NULL,
    query TEXT NOT NULL,
    strategy_name TEXT,
    strategy_query TEXT,
    validation_outcome TEXT,
    quality_score REAL,
    user_feedback_status TEXT NOT NULL DEFAULT 'neutral'
        CHECK (user_feedback_status IN ('rejected', 'accepted', 'neutral')),
    feedback_confidence REAL NOT NULL DEFAULT 0.5 CHECK (feedback_confidence BETWEEN 0.0 AND 1.0),
    rejection_detected_in TEXT,
    PRIMARY KEY (session_id, turn_id)
)";

/// The index for filtering (specification, "Turns: The index of turns").
pub const CREATE_FEEDBACK_INDEX: &str =
    "CREATE INDEX IF NOT EXISTS idx_feedback_status ON turns (user_feedback_status)";

/// The outcome of a response's validation (specification, "Turns: Satisfaction").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ValidationOutcome {
    /// Good without changes.
    #[serde(alias = "approve", alias = "Approve", alias = "APPROVED", alias = "approved")]
    Approve,
    /// Good after changes.
    #[serde(alias = "revise", alias = "Revise", alias = "REVISED", alias = "revised")]
    Revise,
    /// Redone.
    #[serde(alias = "retry", alias = "Retry", alias = "RETRIED", alias = "retried")]
    Retry,
    /// Not good.
    #[serde(alias = "fail", alias = "Fail", alias = "FAILED", alias = "failed")]
    Fail,
}

/// How a response was produced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Strategy {
    /// Its name, such as `commerce_search`.
    pub name: String,
    /// The query it ran with, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub query: Option<String>,
}

/// A turn as it arrives on `asdlc:events:turns`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnEvent {
    /// The turn, such as `turn_001233`.
    pub turn_id: String,
    /// The conversation.
    pub session_id: String,
    /// When the user spoke.
    pub timestamp: Timestamp,
    /// What the user said; `query` and `text` are also accepted.
    #[serde(alias = "query", alias = "text")]
    pub user_message: String,
    /// The assistant's previous response.
    #[serde(default)]
    pub response: String,
    /// How the answer was produced.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strategy: Option<Strategy>,
    /// The outcome of the answer's validation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub validation_outcome: Option<ValidationOutcome>,
    /// The validation's score, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub quality_score: Option<f64>,
    /// The agent that answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tenant_id: Option<String>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: BTreeMap<String, serde_json::Value>,
}

/// metadata.json of a turn (specification, "Turns: What is stored of a turn").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnMetadata {
    /// The turn.
    pub turn_id: String,
    /// The conversation.
    pub session_id: String,
    /// When the user spoke.
    pub timestamp: Timestamp,
    /// The validation's outcome; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub validation_outcome: Option<ValidationOutcome>,
    /// The validation's score, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub quality_score: Option<f64>,
    /// The user's reaction; absent until the next turn or the end of the session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub user_feedback: Option<UserFeedback>,
    /// Unknown fields.
    #[serde(flatten)]
    pub extra: BTreeMap<String, serde_json::Value>,
}

/// The judgement in metadata.json.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserFeedback {
    /// rejected, accepted or neutral.
    pub status: FeedbackType,
    /// When it was detected.
    pub detected_at: Timestamp,
    /// The turn in which it was detected; null if the session ended.
    #[serde(default)]
    pub detected_in_turn: Option<String>,
    /// `explicit_correction`, `rephrased` or `abandonment`; null unless rejected.
    #[serde(default, serialize_with = "as_metadata")]
    #[schemars(with = "Option<String>")]
    pub correction_type: Option<CorrectionType>,
    /// Probability of the status, 0 to 1.
    pub confidence: f64,
    /// What the user said; null unless rejected.
    #[serde(default)]
    pub user_said: Option<String>,
}

/// A row of TurnIndexDB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnRow {
    /// The turn.
    pub turn_id: String,
    /// The conversation.
    pub session_id: String,
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tenant_id: Option<String>,
    /// The agent that answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    /// When the user spoke.
    pub timestamp: Timestamp,
    /// What the user said.
    pub query: String,
    /// The strategy's name and query.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strategy: Option<Strategy>,
    /// The validation's outcome.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub validation_outcome: Option<ValidationOutcome>,
    /// The validation's score, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub quality_score: Option<f64>,
    /// rejected, accepted or neutral; neutral until judged.
    #[serde(default)]
    pub user_feedback_status: FeedbackType,
    /// Confidence in it, 0 to 1; 0.5 until judged.
    #[serde(default = "undecided")]
    pub feedback_confidence: f64,
    /// The turn that rejected it; null otherwise.
    #[serde(default)]
    pub rejection_detected_in: Option<String>,
}

impl TurnMetadata {
    /// Returns the metadata of a turn that has not been judged yet.
    pub fn of(event: &TurnEvent) -> Self {
        Self {
            turn_id: event.turn_id.clone(),
            session_id: event.session_id.clone(),
            timestamp: event.timestamp,
            validation_outcome: event.validation_outcome,
            quality_score: event.quality_score.filter(|score| score.is_finite()),
            user_feedback: None,
            extra: BTreeMap::new(),
        }
    }
}

impl UserFeedback {
    /// Returns the judgement for metadata.json. `detected_in_turn` is `None` if the session ended.
    pub fn of(result: &FeedbackResult, detected_in_turn: Option<&str>, now: Timestamp) -> Self {
        Self {
            status: result.feedback_type,
            detected_at: now,
            detected_in_turn: detected_in_turn.map(str::to_owned),
            correction_type: result.correction_type,
            confidence: result.confidence,
            user_said: result.user_said.clone(),
        }
    }
}

impl TurnRow {
    /// Returns the row of a turn, judged or not.
    pub fn of(event: &TurnEvent, feedback: Option<&UserFeedback>) -> Self {
        let rejected = feedback.filter(|one| one.status == FeedbackType::Rejected);
        Self {
            turn_id: event.turn_id.clone(),
            session_id: event.session_id.clone(),
            tenant_id: event.tenant_id.clone(),
            agent: event.agent.clone(),
            timestamp: event.timestamp,
            query: event.user_message.clone(),
            strategy: event.strategy.clone(),
            validation_outcome: event.validation_outcome,
            quality_score: event.quality_score.filter(|score| score.is_finite()),
            user_feedback_status: feedback.map_or(FeedbackType::Neutral, |one| one.status),
            feedback_confidence: feedback.map_or_else(undecided, |one| one.confidence),
            rejection_detected_in: rejected.and_then(|one| one.detected_in_turn.clone()),
        }
    }
}

/// Returns the column's default (specification, "Turns: The index of turns").
fn undecided() -> f64 {
    0.5
}

#[expect(clippy::ref_option, reason = "serde gives a reference to the field")]
fn as_metadata<S: Serializer>(kind: &Option<CorrectionType>, to: S) -> Result<S::Ok, S::Error> {
    kind.map(CorrectionType::in_metadata).serialize(to)
}
