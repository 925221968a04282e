//! What callers send and what wraps the answers, field by field. Unknown fields are refused: they may be misspelled.

use crate::app::channels::service::Suggested;
use crate::domain::channels::action::ActionRecord;
use crate::domain::channels::iteration::Finding;
use crate::domain::channels::signal::{Observation, Signal};
use crate::domain::channels::turn::{Ranked, Strategy, TurnRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An output or a remark.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Detect {
    /// The output, the log line or the remark.
    pub text: String,
    /// The exit code of the command that wrote it.
    pub exit_code: Option<i32>,
    /// The tool or the command line: `pytest`, `bash`, `cargo test`.
    pub tool: Option<String>,
    /// A report beside the text: JUnit XML or a runner's summary.
    pub report: Option<String>,
    /// Whether a person wrote the text; absent: judged by the text.
    pub from_user: Option<bool>,
}

impl Detect {
    /// What was seen.
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

/// A prompt and what was said or printed about what it led to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refine {
    /// The prompt that led to the failing output.
    pub prompt: String,
    /// What was said or printed about the output.
    pub feedback: String,
    /// The exit code of the command that wrote it.
    pub exit_code: Option<i32>,
    /// The tool or the command line.
    pub tool: Option<String>,
    /// A report beside the feedback.
    pub report: Option<String>,
    /// Whether a person wrote the feedback; absent: judged by the text.
    pub from_user: Option<bool>,
    /// Which refinement of the task this is, from 1; the earlier ones count against the limit.
    #[schemars(range(min = 1))]
    pub iteration: Option<u32>,
}

impl Refine {
    /// What was seen.
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
    /// What the user asked in the turn that is judged.
    pub previous_query: String,
    /// What the assistant answered; may be empty where it is not known.
    #[serde(default)]
    pub previous_response: String,
    /// What the user said next.
    pub text: String,
    /// The turn that is judged, to be named in the context text; `N` where it is not told.
    pub turn_id: Option<String>,
    /// The turn that tells; `N+1` where it is not told.
    pub detected_in_turn: Option<String>,
    /// How the judged response came about.
    pub strategy: Option<Strategy>,
    /// How many turns in a row were rejected before the one that is judged.
    #[serde(default)]
    pub rejections_before: u32,
}

/// What speaks against a document that passes: warnings only.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Validated {
    /// True: a document that does not pass is answered with 422.
    pub valid: bool,
    /// What whoever wrote it should look at.
    pub findings: Vec<Finding>,
}

/// Whether something failed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Detected {
    /// The signal; null where nothing signals a failure.
    pub signal: Option<Signal>,
}

/// Turns, the latest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Turns {
    /// As many as were asked for.
    pub turns: Vec<TurnRow>,
}

/// Strategies, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Strategies {
    /// Each with the formula that ranks it; rejected ones are left out.
    pub strategies: Vec<Ranked>,
}

/// Actions, the latest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct History {
    /// As many as were asked for.
    pub actions: Vec<ActionRecord>,
}

/// What to try.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggestions {
    /// One for each result of the event, in its order.
    pub results: Vec<Suggested>,
}
