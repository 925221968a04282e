//! A language model's reading of a comment.

use super::advice::{AdviceOutcome, Tokens};
use super::stored_record::{IndexRow, StoredRecord};
use crate::records::layout;
use crate::text::language::model_reading::ModelReading;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A language model's reading of one comment, so that it is never asked again. The consequences for the comment are in
/// its decision's record. Rejected parts of an answer are not kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadingRecord {
    /// `feedbackd.reading/1`
    pub schema: String,
    /// The feedback that was read.
    pub feedback_id: String,
    /// The decision's own time.
    pub timestamp: Timestamp,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent whose work was judged.
    pub agent: String,
    /// The reader: a language model's name, or `recorded` if readings came with the decisions.
    pub model: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When its answer was applied.
    pub answered_at: Timestamp,
    /// Whether the answer was acceptable.
    pub outcome: AdviceOutcome,
    /// The reading; absent if rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ModelReading>,
    /// What followed, or why it was rejected, in words.
    pub effect: String,
    /// Its share of the tokens for the question and its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
}

impl StoredRecord for ReadingRecord {
    const SCHEMA: &'static str = "feedbackd.reading/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::READINGS, path, ".yaml")
    }

    fn path(&self) -> String {
        layout::reading(self.timestamp, &self.feedback_id)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.feedback_id, self.asked_at)
    }

    fn check(&self, _path: &str) -> Result<(), String> {
        self.reading.as_ref().map_or(Ok(()), |reading| reading.check().map_err(str::to_owned))
    }
}
