//! What is kept of a conversation turn: the turn, its quality, and the next turn's feedback (specification, "Turns:
//! What is stored of a turn").

use super::stored_record::{Before, Format, IndexRow, StoredRecord};
use crate::channels::turn::{FeedbackResult, TurnEvent, TurnMetadata};
use crate::records::layout;
use crate::records::message::{Outgoing, Topic, json};
use crate::source::Source;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A conversation turn as stored next to its metadata (specification, "Turns").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnRecord {
    /// `feedbackd.turn/1`
    pub schema: String,
    /// The turn, redacted; long texts are shortened.
    pub turn: TurnEvent,
    /// The turn before it in its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_turn: Option<String>,
    /// The number of consecutive rejected turns before it.
    #[serde(default)]
    pub rejections_before: u32,
    /// Whether a later turn of the session was already there: it then neither gives nor receives feedback.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Its source.
    pub source: Source,
}

impl StoredRecord for TurnRecord {
    const SCHEMA: &'static str = "feedbackd.turn/1";
    const FORMAT: Format = Format::Json;

    fn is_place(path: &str) -> bool {
        layout::is_of_turn(path, "turn.json")
    }

    fn path(&self) -> String {
        layout::turn(&self.turn.session_id, &self.turn.turn_id, "turn.json")
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.turn.turn_id, self.turn.timestamp)
    }
}

impl StoredRecord for TurnMetadata {
    const SCHEMA: &'static str = "feedbackd.turn_metadata/1";
    const FORMAT: Format = Format::Json;

    fn is_place(path: &str) -> bool {
        layout::is_of_turn(path, "metadata.json")
    }

    fn path(&self) -> String {
        layout::turn(&self.session_id, &self.turn_id, "metadata.json")
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.turn_id, self.timestamp)
    }
}

/// The next turn's feedback on a turn, and the context section for the next respondent (specification, "Turns: The
/// context text").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnFeedback {
    /// The session.
    pub session_id: String,
    /// The judged turn.
    pub turn_id: String,
    /// The turn that gave the signal; absent if the session ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected_in_turn: Option<String>,
    /// When that was.
    pub detected_at: Timestamp,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The verdict.
    #[serde(flatten)]
    pub result: FeedbackResult,
    /// The satisfaction score, -1 to 1; absent if the turn had no validation outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub satisfaction: Option<f64>,
    /// Current number of consecutive rejections in this session.
    pub rejections_in_a_row: u32,
    /// Whether to ask instead of trying again (specification, "Turns: Several corrections in a row").
    pub be_careful: bool,
    /// The section's text; empty if nothing was detected.
    pub context: String,
    /// The turn's metadata in the store.
    pub record: String,
}

impl StoredRecord for TurnFeedback {
    const SCHEMA: &'static str = "feedbackd.turn_feedback/1";
    const FORMAT: Format = Format::Json;

    fn is_place(path: &str) -> bool {
        layout::is_of_turn(path, "feedback.json")
    }

    fn path(&self) -> String {
        layout::turn(&self.session_id, &self.turn_id, "feedback.json")
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.turn_id, self.detected_at)
    }

    fn messages(&self, _path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        if !before.is_nothing() {
            return Vec::new();
        }
        vec![Outgoing {
            topic: Topic::TurnFeedback,
            schema: Self::SCHEMA,
            idempotency_key: format!("turn_feedback:{}:{}", self.session_id, self.turn_id),
            tenant_id: self.tenant_id.clone().unwrap_or_default(),
            timestamp: self.detected_at,
            trace: None,
            data: json(self),
        }]
    }
}
