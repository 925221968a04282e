//! How a language model read a remark.

use super::advice::{AdviceOutcome, Tokens};
use super::stored_record::{IndexRow, StoredRecord};
use crate::records::layout;
use crate::text::language::model_reading::Reading;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a language model read one remark, so that it is never asked again. What follows for the remark stands in its
/// decision's record; what was refused of an answer is not kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadingRecord {
    /// `feedbackd.reading/1`
    pub schema: String,
    /// The feedback that was read.
    pub feedback_id: String,
    /// The decision's own time.
    pub timestamp: Timestamp,
    /// The tenant, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent whose work was judged.
    pub agent: String,
    /// Who read it: a language model's name, or `recorded` where readings came with the decisions.
    pub model: String,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When its answer was taken up.
    pub answered_at: Timestamp,
    /// Whether the answer could be believed.
    pub outcome: AdviceOutcome,
    /// What it said; absent where it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// What came of it, or why it was refused, in words.
    pub effect: String,
    /// Its share of the tokens that the question and its answer took.
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
