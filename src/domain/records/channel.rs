//! What the store keeps of each channel, and what is published of it (specification, "Streams and keys out" and "The
//! store").
//!
//! JSON where the specifications say so, YAML where people read. A record says everything that is published of it, so
//! that publishing can resume from Git.

use crate::domain::channels::action::ActionRecord;
use crate::domain::channels::channel::task;
use crate::domain::channels::iteration::{Document, Tracking};
use crate::domain::channels::refine::{Analysis, LogEntry, Stopped};
use crate::domain::channels::signal::Signal;
use crate::domain::channels::turn::{FeedbackResult, TurnEvent, TurnMetadata};
use crate::domain::records::layout;
use crate::domain::records::message::{Outgoing, Topic, json};
use crate::domain::source::Source;
use crate::domain::yaml;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Which record a file below a channel's directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChannelKind {
    /// `turns/<session>/<turn>/turn.json`
    Turn,
    /// `turns/<session>/<turn>/metadata.json`
    TurnMetadata,
    /// `turns/<session>/<turn>/feedback.json`
    TurnFeedback,
    /// `refinements/<yyyy>/<mm>/<dd>/<id>.yaml`
    Refinement,
    /// `actions/<yyyy>/<mm>/<dd>/<id>.json`
    Action,
    /// `iterations/<target>/<id>.yaml`
    Iteration,
}

impl ChannelKind {
    /// What a path promises; `None` for files of no channel.
    pub fn of(path: &str) -> Option<ChannelKind> {
        if let Some(rest) = path.strip_prefix(layout::TURNS) {
            let mut parts = rest.split('/');
            let (_, _, name) = (parts.next()?, parts.next()?, parts.next()?);
            return match (name, parts.next()) {
                ("turn.json", None) => Some(ChannelKind::Turn),
                ("metadata.json", None) => Some(ChannelKind::TurnMetadata),
                ("feedback.json", None) => Some(ChannelKind::TurnFeedback),
                _ => None,
            };
        }
        let is = |root: &str, end: &str| path.starts_with(root) && path.ends_with(end);
        if is(layout::REFINEMENTS, ".yaml") {
            Some(ChannelKind::Refinement)
        } else if is(layout::ACTIONS, ".json") {
            Some(ChannelKind::Action)
        } else if is(layout::ITERATIONS, ".yaml") {
            Some(ChannelKind::Iteration)
        } else {
            None
        }
    }
}

/// A record of a channel.
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelRecord {
    /// A turn.
    Turn(Box<TurnRecord>),
    /// What is known of a turn's quality.
    TurnMetadata(Box<TurnMetadata>),
    /// What the next turn says about a turn.
    TurnFeedback(Box<TurnFeedback>),
    /// A refined prompt.
    Refinement(Box<RefinementRecord>),
    /// An action's result and the answer.
    Action(Box<ActionRecord>),
    /// A review document.
    Iteration(Box<IterationRecord>),
}

/// A conversation turn as it is kept beside its metadata (specification, "Turns").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnRecord {
    /// `feedbackd.turn/1`
    pub schema: String,
    /// The turn, redacted; long texts are shortened.
    pub turn: TurnEvent,
    /// The turn before it in its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_turn: Option<String>,
    /// How many turns before it were rejected in a row.
    #[serde(default)]
    pub rejections_before: u32,
    /// Where it was read.
    pub source: Source,
}

/// What the next turn says about a turn, and the section of context for whoever answers next (specification, "Turns:
/// The context text").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnFeedback {
    /// The session.
    pub session_id: String,
    /// The turn that is judged.
    pub turn_id: String,
    /// The turn that told; absent where the session ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected_in_turn: Option<String>,
    /// When that was.
    pub detected_at: Timestamp,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The verdict.
    #[serde(flatten)]
    pub result: FeedbackResult,
    /// The satisfaction score, -1 to 1; absent where the turn had no validation outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub satisfaction: Option<f64>,
    /// How many rejections in a row this session has now.
    pub rejections_in_a_row: u32,
    /// Whether to ask rather than to try again (specification, "Turns: Several corrections in a row").
    pub be_careful: bool,
    /// The section's text; empty where nothing was detected.
    pub context: String,
    /// The turn's metadata in the store.
    pub record: String,
}

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
    /// What the feedback signals; absent where it signals no failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<Signal>,
    /// The prompt to try next.
    pub refined_prompt: String,
    /// What it is worth.
    pub analysis: Analysis,
    /// Why the refinement ended.
    pub stopped: Stopped,
    /// Each iteration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback_log: Vec<LogEntry>,
    /// Where it was read.
    pub source: Source,
}

impl RefinementRecord {
    /// As [`super::Refinement::task`].
    pub fn task(&self) -> Option<String> {
        task(self.session_id.as_deref(), self.task_id.as_deref())
    }
}

/// A refined prompt as it is published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefinedPrompt {
    /// The request.
    pub refinement_id: String,
    /// The agent.
    pub agent: Option<String>,
    /// The agent session.
    pub session_id: Option<String>,
    /// The task.
    pub task_id: Option<String>,
    /// The prompt to try next; the original where nothing signals a failure.
    pub refined_prompt: String,
    /// What the feedback signals: kind, confidence, facts and cues.
    pub signal: Option<Signal>,
    /// What was added, in order.
    pub actions_applied: Vec<String>,
    /// How many iterations were made.
    pub iterations: usize,
    /// The refined prompt's score, 0 to 10.
    pub score: f64,
    /// Why the refinement ended.
    pub stopped: Stopped,
    /// The record in the store.
    pub record: String,
}

/// A review document with what it says of the earlier ones (specification, "Review documents").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IterationRecord {
    /// `feedbackd.iteration/1`
    pub schema: String,
    /// The document; `quality_tracking` is filled in when the next one of its target comes.
    pub document: Document,
    /// What it says of the earlier documents of its target.
    pub tracking: Tracking,
    /// What its validation warned of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The agent whose work it reviews.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Who reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer_id: Option<String>,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// Where it was read.
    pub source: Source,
}

impl ChannelRecord {
    /// Reads a file as the record its path promises.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(kind: ChannelKind, text: &str) -> Result<ChannelRecord, String> {
        Ok(match kind {
            ChannelKind::Turn => ChannelRecord::Turn(from_json(text)?),
            ChannelKind::TurnMetadata => ChannelRecord::TurnMetadata(from_json(text)?),
            ChannelKind::TurnFeedback => ChannelRecord::TurnFeedback(from_json(text)?),
            ChannelKind::Refinement => ChannelRecord::Refinement(yaml::parse(text)?),
            ChannelKind::Action => ChannelRecord::Action(from_json(text)?),
            ChannelKind::Iteration => ChannelRecord::Iteration(yaml::parse(text)?),
        })
    }

    /// The file's text.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn text(&self) -> Result<String, String> {
        match self {
            ChannelRecord::Turn(r) => to_json(r),
            ChannelRecord::TurnMetadata(r) => to_json(r),
            ChannelRecord::TurnFeedback(r) => to_json(r),
            ChannelRecord::Refinement(r) => yaml::render(r),
            ChannelRecord::Action(r) => to_json(r),
            ChannelRecord::Iteration(r) => yaml::render(r),
        }
    }

    /// The record as JSON, for the index.
    pub fn value(&self) -> serde_json::Result<String> {
        match self {
            ChannelRecord::Turn(r) => serde_json::to_string(r),
            ChannelRecord::TurnMetadata(r) => serde_json::to_string(r),
            ChannelRecord::TurnFeedback(r) => serde_json::to_string(r),
            ChannelRecord::Refinement(r) => serde_json::to_string(r),
            ChannelRecord::Action(r) => serde_json::to_string(r),
            ChannelRecord::Iteration(r) => serde_json::to_string(r),
        }
    }

    /// The record from what [`ChannelRecord::value`] wrote.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_value(kind: ChannelKind, text: &str) -> Result<ChannelRecord, String> {
        Ok(match kind {
            ChannelKind::Refinement => ChannelRecord::Refinement(from_json(text)?),
            ChannelKind::Iteration => ChannelRecord::Iteration(from_json(text)?),
            json => ChannelRecord::read(json, text)?,
        })
    }

    /// Which record it is.
    pub fn kind(&self) -> ChannelKind {
        match self {
            ChannelRecord::Turn(_) => ChannelKind::Turn,
            ChannelRecord::TurnMetadata(_) => ChannelKind::TurnMetadata,
            ChannelRecord::TurnFeedback(_) => ChannelKind::TurnFeedback,
            ChannelRecord::Refinement(_) => ChannelKind::Refinement,
            ChannelRecord::Action(_) => ChannelKind::Action,
            ChannelRecord::Iteration(_) => ChannelKind::Iteration,
        }
    }

    /// Its id, and when what it tells of happened.
    pub fn identity(&self) -> (&str, Timestamp) {
        match self {
            ChannelRecord::Turn(r) => (&r.turn.turn_id, r.turn.timestamp),
            ChannelRecord::TurnMetadata(r) => (&r.turn_id, r.timestamp),
            ChannelRecord::TurnFeedback(r) => (&r.turn_id, r.detected_at),
            ChannelRecord::Refinement(r) => (&r.refinement_id, r.timestamp),
            ChannelRecord::Action(r) => (&r.result.action_id, r.result.timestamp),
            ChannelRecord::Iteration(r) => (&r.document.id, r.document.timestamp),
        }
    }

    /// What is published of it where it is new; nothing where the file stood there before: it was only completed.
    pub fn message(&self, path: &str, known: bool) -> Option<Outgoing> {
        if known {
            return None;
        }
        match self {
            ChannelRecord::TurnFeedback(r) => Some(Outgoing {
                topic: Topic::TurnFeedback,
                schema: "feedbackd.turn_feedback/1",
                idempotency_key: format!("turn_feedback:{}:{}", r.session_id, r.turn_id),
                tenant_id: r.tenant_id.clone().unwrap_or_default(),
                timestamp: r.detected_at,
                data: json(r),
            }),
            ChannelRecord::Action(r) => Some(Outgoing {
                topic: Topic::ActionFeedback,
                schema: "feedbackd.action_feedback/1",
                idempotency_key: format!("action_feedback:{}", r.result.action_id),
                tenant_id: r.result.tenant_id.clone().unwrap_or_default(),
                timestamp: r.result.timestamp,
                data: json(&r.feedback),
            }),
            ChannelRecord::Refinement(r) => Some(Outgoing {
                topic: Topic::RefinedPrompts,
                schema: "feedbackd.refined_prompt/1",
                idempotency_key: format!("refined_prompt:{}", r.refinement_id),
                tenant_id: r.tenant_id.clone().unwrap_or_default(),
                timestamp: r.timestamp,
                data: json(&refined(path, r)),
            }),
            ChannelRecord::Turn(_) | ChannelRecord::TurnMetadata(_) | ChannelRecord::Iteration(_) => None,
        }
    }
}

fn refined(path: &str, record: &RefinementRecord) -> RefinedPrompt {
    let applied = record.feedback_log.iter().flat_map(|entry| &entry.actions_applied);
    RefinedPrompt {
        refinement_id: record.refinement_id.clone(),
        agent: record.agent.clone(),
        session_id: record.session_id.clone(),
        task_id: record.task_id.clone(),
        refined_prompt: record.refined_prompt.clone(),
        signal: record.signal.clone(),
        actions_applied: applied.map(|action| action.as_str().to_owned()).collect(),
        iterations: record.feedback_log.len(),
        score: record.analysis.score,
        stopped: record.stopped,
        record: path.to_owned(),
    }
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn to_json<T: Serialize>(record: &T) -> Result<String, String> {
    serde_json::to_string_pretty(record).map(|text| text + "\n").map_err(|error| error.to_string())
}
