//! A comment that contradicts an earlier one and is pending a decision.

use super::stored_record::{Before, IndexRow, StoredRecord, probability};
use crate::intake::submission::Resolution;
use crate::records::layout;
use crate::records::message::{Alert, Outgoing, alert};
use crate::records::side::Side;
use crate::text::ids::Gate;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Feedback that contradicts earlier feedback and is pending a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AmbiguousRecord {
    /// `feedbackd.ambiguous/1`
    pub schema: String,
    /// The feedback.
    pub feedback_id: String,
    /// The tenant, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The agent.
    pub agent: String,
    /// The gate.
    pub gate: Gate,
    /// The question to decide, in words.
    pub question: String,
    /// This feedback's side.
    pub this_side: Side,
    /// The earlier side.
    pub other_side: Vec<Side>,
    /// Its status.
    pub status: AmbiguousStatus,
    /// When it was found.
    pub opened_at: Timestamp,
    /// The decision, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// The decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_as: Option<Resolution>,
    /// The reason, in the decider's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The review that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// When it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
}

impl StoredRecord for AmbiguousRecord {
    const SCHEMA: &'static str = "feedbackd.ambiguous/1";

    fn is_place(path: &str) -> bool {
        layout::is_in(layout::AMBIGUOUS, path, ".yaml") || layout::is_in(layout::RESOLVED, path, ".yaml")
    }

    fn path(&self) -> String {
        match self.status {
            AmbiguousStatus::Open => layout::ambiguous(&self.feedback_id),
            AmbiguousStatus::Resolved => layout::resolved(&self.feedback_id),
        }
    }

    /// Open means pending a decision: by status, and by not being stored among the resolved ones.
    fn row(&self, path: &str) -> IndexRow<'_> {
        let open = layout::is_in(layout::AMBIGUOUS, path, ".yaml") && self.status == AmbiguousStatus::Open;
        IndexRow::at(&self.feedback_id, self.opened_at).open(open)
    }

    fn check(&self, _path: &str) -> Result<(), String> {
        self.other_side.iter().filter_map(|s| s.similarity).try_for_each(|s| probability("similarity", s))
    }

    /// An alert if it was opened.
    fn messages(&self, path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        if !before.is_nothing() || self.status != AmbiguousStatus::Open {
            return Vec::new();
        }
        let data = Alert::AmbiguousFeedback {
            feedback_id: self.feedback_id.clone(),
            agent: self.agent.clone(),
            question: self.question.clone(),
            this_side: self.this_side.clone(),
            other_side: self.other_side.clone(),
            record: path.to_owned(),
        };
        let key = format!("ambiguous:{}", self.feedback_id);
        vec![alert(&key, self.tenant_id.as_deref(), self.opened_at, &data)]
    }
}

/// Status of an ambiguous feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AmbiguousStatus {
    /// Pending a decision.
    Open,
    /// Decided; `resolution` says how.
    Resolved,
}
