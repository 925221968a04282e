//! A refined prompt and how it came about (specification, "Refinement: The log").

use super::stored_record::{Before, IndexRow, StoredRecord};
use crate::channels::channel::task;
use crate::channels::refine::{Analysis, LogEntry, StopReason};
use crate::channels::signal::Signal;
use crate::records::layout;
use crate::records::message::{Outgoing, RefinedPrompt, Topic, json};
use crate::source::Source;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A refined prompt and how it came about (specification, "Refinement: The log").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefinementRecord {
    /// `feedbackd.refinement/1`
    pub schema: String,
    /// The publisher's id.
    pub refinement_id: String,
    /// When the output failed.
    pub timestamp: Timestamp,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The agent session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The signal in the feedback; absent if there is no failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<Signal>,
    /// The prompt to try next.
    pub refined_prompt: String,
    /// Its assessment.
    pub analysis: Analysis,
    /// Why the refinement ended.
    pub stopped: StopReason,
    /// Each iteration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback_log: Vec<LogEntry>,
    /// Its source.
    pub source: Source,
}

impl RefinementRecord {
    /// As [`Refinement::task`](crate::channels::channel::Refinement::task).
    pub fn task(&self) -> Option<String> {
        task(self.session_id.as_deref(), self.task_id.as_deref())
    }

    /// Returns the prompt as published.
    fn published(&self, path: &str) -> RefinedPrompt {
        let applied = self.feedback_log.iter().flat_map(|entry| &entry.actions_applied);
        RefinedPrompt {
            refinement_id: self.refinement_id.clone(),
            agent: self.agent.clone(),
            session_id: self.session_id.clone(),
            task_id: self.task_id.clone(),
            refined_prompt: self.refined_prompt.clone(),
            signal: self.signal.clone(),
            actions_applied: applied.map(|action| action.as_str().to_owned()).collect(),
            iterations: self.feedback_log.len(),
            score: self.analysis.score,
            stopped: self.stopped,
            record: path.to_owned(),
        }
    }
}

impl StoredRecord for RefinementRecord {
    const SCHEMA: &'static str = "feedbackd.refinement/1";

    fn is_place(path: &str) -> bool {
        layout::is_below(layout::REFINEMENTS, path, ".yaml")
    }

    fn path(&self) -> String {
        layout::refinement(self.timestamp, &self.refinement_id)
    }

    fn row(&self, _path: &str) -> IndexRow<'_> {
        let row = IndexRow::at(&self.refinement_id, self.timestamp);
        match self.task() {
            Some(task) => row.about(task),
            None => row,
        }
    }

    fn messages(&self, path: &str, before: &Before<'_, Self>) -> Vec<Outgoing> {
        if !before.is_nothing() {
            return Vec::new();
        }
        vec![Outgoing {
            topic: Topic::RefinedPrompts,
            schema: "feedbackd.refined_prompt/1",
            idempotency_key: format!("refined_prompt:{}", self.refinement_id),
            tenant_id: self.tenant_id.clone().unwrap_or_default(),
            timestamp: self.timestamp,
            trace: None,
            data: json(&self.published(path)),
        }]
    }
}
