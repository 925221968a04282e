//! A one-off, in words a person understands.

use super::stored_record::{IndexRow, StoredRecord};
use crate::records::layout;
use crate::text::ids::{Gate, parse_numbered, safe_name};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A one-off, in words a person understands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeCaseRecord {
    /// `feedbackd.edge_case/1`
    pub schema: String,
    /// `EDGE-<year>-<nnnn>`
    pub edge_case_id: String,
    /// The feedback.
    pub feedback_id: String,
    /// The path of its record in the store.
    pub record: String,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// Who said it.
    pub reviewer_id: String,
    /// When it was made.
    pub timestamp: Timestamp,
    /// The text, shortened.
    pub what: String,
    /// Why it counts as a one-off.
    pub why: String,
    /// Its status.
    pub status: EdgeCaseStatus,
    /// What became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// The cluster it was promoted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_to: Option<String>,
}

impl StoredRecord for EdgeCaseRecord {
    const SCHEMA: &'static str = "feedbackd.edge_case/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::EDGE_CASES, path, ".yaml")
    }

    fn path(&self) -> String {
        match parse_numbered("EDGE", &self.edge_case_id) {
            Some((year, number)) => layout::edge_case(year, number),
            None => format!("{}{}.yaml", layout::EDGE_CASES, safe_name(&self.edge_case_id)),
        }
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.edge_case_id, self.timestamp).open(self.status == EdgeCaseStatus::Open)
    }
}

/// Status of a one-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EdgeCaseStatus {
    /// No similar comment yet.
    Open,
    /// A similar comment arrived; it is part of a pattern.
    Promoted,
}
