//! An entry that could not be processed: what is needed to fix its publisher.

use super::stored_record::{Before, IndexRow, StoredRecord};
use crate::intake::event::RejectCode;
use crate::records::layout;
use crate::records::message::{Alert, Outgoing, alert};
use crate::source::{Source, entry_time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An entry that could not be processed: what is needed to fix its publisher. The original fields, complete and
/// unredacted, go to `asdlc:events:dead_letters` and never into Git.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLetterRecord {
    /// `feedbackd.dead_letter/1`
    pub schema: String,
    /// Its source.
    pub source: Source,
    /// The kind of error.
    pub code: RejectCode,
    /// The invalid field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Which field is invalid, what was found, what was expected.
    pub message: String,
    /// The original fields, redacted and shortened.
    pub fields: BTreeMap<String, String>,
}

impl StoredRecord for DeadLetterRecord {
    const SCHEMA: &'static str = "feedbackd.dead_letter/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::DEAD_LETTERS, path, ".yaml")
    }

    fn path(&self) -> String {
        layout::dead_letter(&self.source.stream, &self.source.entry_id)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow { id: &self.source.entry_id, rank: (0, 0), open: true, subject: None }
    }

    /// An alert if the entry's content is lost.
    fn messages(&self, path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        if !before.is_nothing() || self.code != RejectCode::EntryTrimmed {
            return Vec::new();
        }
        let source = &self.source;
        let data = Alert::EntryLost {
            stream: source.stream.clone(),
            entry_id: source.entry_id.clone(),
            message: self.message.clone(),
            record: path.to_owned(),
        };
        let key = format!("entry_lost:{}:{}", source.stream, source.entry_id);
        vec![alert(&key, None, entry_time(&source.entry_id), &data)]
    }
}
