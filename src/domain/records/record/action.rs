//! Where an action's record is stored, and the answer published for it (specification, "Actions"). The record itself
//! belongs to its channel.

use super::stored_record::{Before, Format, IndexRow, StoredRecord};
use crate::channels::action::{ACTION_SCHEMA, ActionRecord, FEEDBACK_SCHEMA};
use crate::records::layout;
use crate::records::message::{Outgoing, Topic, json};

impl StoredRecord for ActionRecord {
    const SCHEMA: &'static str = ACTION_SCHEMA;
    const FORMAT: Format = Format::Json;

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::ACTIONS, path, ".json")
    }

    fn path(&self) -> String {
        layout::action(self.result.timestamp, &self.result.action_id)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        IndexRow::at(&self.result.action_id, self.result.timestamp).about(self.chain.as_str())
    }

    fn messages(&self, _path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        if !before.is_nothing() {
            return Vec::new();
        }
        vec![Outgoing {
            topic: Topic::ActionFeedback,
            schema: FEEDBACK_SCHEMA,
            idempotency_key: format!("action_feedback:{}", self.result.action_id),
            tenant_id: self.result.tenant_id.clone().unwrap_or_default(),
            timestamp: self.result.timestamp,
            trace: None,
            data: json(&self.feedback),
        }]
    }
}
