//! The channels next to gate decisions (specification, "Turns", "Refinement", "Actions" and "Review documents"): what
//! each receives, and what is stored.
//!
//! Each channel's own rules are in `signal` and `refine`, `turn`, `action`, and `actionable`. This module has only the
//! parsed events, the stored records, and what each demands of the evaluator. `decode` reads raw entries.

use super::action::ActionResult;
use super::iteration::Document;
use super::turn::TurnEvent;
use crate::source::Source;
use jiff::Timestamp;

/// One event of a channel, redacted.
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelEvent {
    /// A conversation turn (specification, "Turns").
    Turn(Box<Turn>),
    /// A failed output of an agent (specification, "Refinement").
    Refinement(Box<Refinement>),
    /// Outcomes of actions (specification, "Actions"); one entry may carry several inferences.
    Actions(Vec<ActionResult>, Source),
    /// A valid actionable-feedback document (specification, "Review documents").
    Iteration(Box<Iteration>),
}

/// A turn with its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The turn.
    pub event: TurnEvent,
    /// Its source.
    pub source: Source,
}

/// A request to refine a prompt (specification, "Refinement: The loop").
#[derive(Clone, Debug, PartialEq)]
pub struct Refinement {
    /// The publisher's id; the same id is the same request.
    pub refinement_id: String,
    /// When the output failed.
    pub timestamp: Timestamp,
    /// The prompt that produced it.
    pub original_prompt: String,
    /// Feedback or program output about the result.
    pub feedback: String,
    /// The publisher's count of the task's earlier refinements; 0 for none.
    pub done: u32,
    /// Whether the task's earlier refinement helped, if the publisher reports it.
    pub success: Option<bool>,
    /// The process's exit code.
    pub exit_code: Option<i32>,
    /// The tool that printed it.
    pub tool: Option<String>,
    /// A test runner's report.
    pub report: Option<String>,
    /// Whether a person said it; if absent, judged by the text.
    pub from_user: Option<bool>,
    pub agent: Option<String>,
    /// The person who said it.
    pub user_id: Option<String>,
    /// The agent session.
    pub session_id: Option<String>,
    pub task_id: Option<String>,
    pub tenant_id: Option<String>,
    /// Its source.
    pub source: Source,
}

impl Refinement {
    /// Returns the key shared by the refinements of one task; `None` if no task is named.
    pub fn task(&self) -> Option<String> {
        task(self.session_id.as_deref(), self.task_id.as_deref())
    }
}

/// Returns the key of a task, unique within its session.
pub(crate) fn task(session_id: Option<&str>, task_id: Option<&str>) -> Option<String> {
    Some(format!("{}/{}", session_id.unwrap_or_default(), task_id?))
}

/// An actionable-feedback document with its author.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// The document as sent.
    pub value: serde_json::Value,
    /// The document as parsed.
    pub document: Document,
    /// Its validation warnings, in words.
    pub warnings: Vec<String>,
    /// The agent whose work it reviews.
    pub agent: Option<String>,
    /// The reviewer.
    pub reviewer_id: Option<String>,
    pub tenant_id: Option<String>,
    /// Its source.
    pub source: Source,
}
