//! A review document and its relation to the earlier ones of its target (specification, "Review documents").

use super::stored_record::{IndexRow, StoredRecord};
use crate::channels::iteration::{Document, TrackingResult};
use crate::records::layout;
use crate::source::Source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A review document and its relation to the earlier ones (specification, "Review documents").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IterationRecord {
    /// `feedbackd.iteration/1`
    pub schema: String,
    /// The document; `quality_tracking` is filled in when its target's next one comes.
    pub document: Document,
    /// Its relation to the earlier documents of its target.
    pub tracking: TrackingResult,
    /// Warnings from its validation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The agent whose work it reviews.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer_id: Option<String>,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// Its source.
    pub source: Source,
}

impl StoredRecord for IterationRecord {
    const SCHEMA: &'static str = "feedbackd.iteration/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::ITERATIONS, path, ".yaml")
    }

    fn path(&self) -> String {
        layout::iteration(&self.document.target.path, &self.document.id)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.document.id, self.document.timestamp).about(self.document.target.path.as_str())
    }
}
