//! Requests and response wrappers, field by field. Unknown fields are rejected: they may be misspelled.

use crate::app::channels::service::SuggestionList;
use crate::domain::channels::action::ActionRecord;
use crate::domain::channels::iteration::Diagnostic;
use crate::domain::channels::signal::{Observation, Signal};
use crate::domain::channels::turn::{RankedStrategy, Strategy, TurnRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An output or a comment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Detect {
    /// The output, the log line or the comment.
    pub text: String,
    /// The exit code of the command that produced it.
    pub exit_code: Option<i32>,
    /// The tool or the command line: `pytest`, `bash`, `cargo test`.
    pub tool: Option<String>,
    /// An accompanying report: JUnit XML or a runner's summary.
    pub report: Option<String>,
    /// Whether a person wrote the text; absent: judged by the text.
    pub from_user: Option<bool>,
}

impl Detect {
    /// Returns the observation.
    pub fn seen(&self) -> Observation<'_> {
        Observation {
            text: &self.text,
            exit_code: self.exit_code,
            tool: self.tool.as_deref(),
            report: self.report.as_deref(),
            from_user: self.from_user,
        }
    }
}

/// A prompt and the feedback on its result.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refine {
    /// The prompt that led to the failing output.
    pub prompt: String,
    /// Feedback or program output about the result.
    pub feedback: String,
    /// The exit code of the command that produced it.
    pub exit_code: Option<i32>,
    /// The tool or the command line.
    pub tool: Option<String>,
    /// An accompanying report.
    pub report: Option<String>,
    /// Whether a person wrote the feedback; absent: judged by the text.
    pub from_user: Option<bool>,
    /// Which refinement of the task this is, from 1; the earlier ones count against the limit.
    #[schemars(range(min = 1))]
    pub iteration: Option<u32>,
}

impl Refine {
    /// Returns the observation.
    pub fn seen(&self) -> Observation<'_> {
        Observation {
            text: &self.feedback,
            exit_code: self.exit_code,
            tool: self.tool.as_deref(),
            report: self.report.as_deref(),
            from_user: self.from_user,
        }
    }
}

/// A turn and what the user said next.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judge {
    /// The user's query in the judged turn.
    pub previous_query: String,
    /// The assistant's answer; may be empty if unknown.
    #[serde(default)]
    pub previous_response: String,
    /// What the user said next.
    pub text: String,
    /// The judged turn, to be named in the context text; `N` if absent.
    pub turn_id: Option<String>,
    /// The turn that reveals the verdict; `N+1` if absent.
    pub detected_in_turn: Option<String>,
    /// How the judged response was produced.
    pub strategy: Option<Strategy>,
    /// Number of consecutive rejected turns before the judged one.
    #[serde(default)]
    pub rejections_before: u32,
}

/// The findings on a valid document: warnings only.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Validated {
    /// True: an invalid document is answered with 422.
    pub valid: bool,
    /// Findings for the author to check.
    pub findings: Vec<Diagnostic>,
}

/// Whether something failed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Detected {
    /// The signal; null if nothing signals a failure.
    pub signal: Option<Signal>,
}

/// Turns, latest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Turns {
    /// The requested number of them.
    pub turns: Vec<TurnRow>,
}

/// Strategies, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Strategies {
    /// Each with its ranking formula; rejected ones are omitted.
    pub strategies: Vec<RankedStrategy>,
}

/// Actions, latest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct History {
    /// The requested number of them.
    pub actions: Vec<ActionRecord>,
}

/// Suggestions of what to try.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestions {
    /// One for each result of the event, in order.
    pub results: Vec<SuggestionList>,
}
