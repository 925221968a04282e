//! The channels beside gate decisions (specification, "Turns", "Refinement", "Actions" and "Review documents"): what
//! comes in on each, and what is kept.
//!
//! Each channel's own rules are in `signal` and `refine`, `turn`, `action`, and `actionable`; here are only the events
//! as they were read, the records as they are stored, and what each demands of the evaluator. Reading raw entries is
//! `decode`'s work.

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
    /// An agent's output that failed (specification, "Refinement").
    Refinement(Box<Refinement>),
    /// What actions came to (specification, "Actions"); one entry may carry several inferences.
    Actions(Vec<ActionResult>, Source),
    /// An actionable-feedback document that passed its validation (specification, "Review documents").
    Iteration(Box<Iteration>),
}

/// A turn with where it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The turn.
    pub event: TurnEvent,
    /// Where it was read.
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
    /// What was said or printed about the output.
    pub feedback: String,
    /// How many refinements the task has had before, as the publisher counts; 0 for none.
    pub done: u32,
    /// Whether the earlier refinement of the task helped, where the publisher says so.
    pub success: Option<bool>,
    /// The process's exit code.
    pub exit_code: Option<i32>,
    /// The tool that printed it.
    pub tool: Option<String>,
    /// A test runner's report.
    pub report: Option<String>,
    /// Whether a person said it; absent: judged by the text.
    pub from_user: Option<bool>,
    pub agent: Option<String>,
    /// Who said it.
    pub user_id: Option<String>,
    /// The agent session.
    pub session_id: Option<String>,
    pub task_id: Option<String>,
    pub tenant_id: Option<String>,
    /// Where it was read.
    pub source: Source,
}

impl Refinement {
    /// What the refinements of one task have in common; nothing where no task is named.
    pub fn task(&self) -> Option<String> {
        task(self.session_id.as_deref(), self.task_id.as_deref())
    }
}

/// Tasks are told apart within their session.
pub(crate) fn task(session_id: Option<&str>, task_id: Option<&str>) -> Option<String> {
    Some(format!("{}/{}", session_id.unwrap_or_default(), task_id?))
}

/// An actionable-feedback document with who wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration {
    /// The document as it was sent.
    pub value: serde_json::Value,
    /// The document as it was understood.
    pub document: Document,
    /// Warnings of its validation, in words.
    pub warnings: Vec<String>,
    /// The agent whose work it reviews.
    pub agent: Option<String>,
    /// Who reviewed.
    pub reviewer_id: Option<String>,
    pub tenant_id: Option<String>,
    /// Where it was read.
    pub source: Source,
}
