//! The observation, the evidence for a failure, and the verdict.

use crate::text::prose::percent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of cues named in a verdict.
pub const MAX_CUES: usize = 8;

/// The four types of feedback (specification, "Refinement: Failure signals").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// Code execution failed.
    RuntimeError,
    /// Tests or validation failed.
    VerificationFailure,
    /// A person rejected the output.
    UserRejection,
    /// The output is close but needs adjustment.
    PartialSuccess,
}

impl SignalKind {
    /// All kinds, in the specification's order.
    pub const ALL: [SignalKind; 4] = [
        SignalKind::RuntimeError,
        SignalKind::VerificationFailure,
        SignalKind::UserRejection,
        SignalKind::PartialSuccess,
    ];

    /// Returns the specification's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            SignalKind::RuntimeError => "runtime_error",
            SignalKind::VerificationFailure => "verification_failure",
            SignalKind::UserRejection => "user_rejection",
            SignalKind::PartialSuccess => "partial_success",
        }
    }
}

/// The observed output. Only the text is required; every known fact makes the verdict more certain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observation<'a> {
    /// The output, the log line or the comment.
    pub text: &'a str,
    /// The exit code of the command that produced it.
    pub exit_code: Option<i32>,
    /// The tool or the command line: `pytest`, `bash`, `cargo test`.
    pub tool: Option<&'a str>,
    /// A report in addition to the text: JUnit XML or a runner's summary.
    pub report: Option<&'a str>,
    /// Whether a person wrote the text. If unset, an exit code, a tool or a report implies that none did; other texts
    /// are read both ways.
    pub from_user: Option<bool>,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cue {
    /// The id of the matching rule, `group.name`.
    pub rule: String,
    /// The matched words, at most 120 characters.
    pub words: String,
    /// Its weight as evidence, 0 to 1.
    pub weight: f64,
}

/// Facts extracted from the text and its context.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// The exit code.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_code: Option<i32>,
    /// The test runner or the checker: `pytest`, `jest`, `cargo`, `go`, `junit`, `mocha`, `unittest`, `mypy`, ...
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub framework: Option<String>,
    /// The programming language, lower case.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub language: Option<String>,
    /// Tests that passed, if a report was read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub passed: Option<u64>,
    /// Tests that failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed: Option<u64>,
    /// Tests that ended in an error.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub errors: Option<u64>,
    /// Tests that were skipped or failed as expected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skipped: Option<u64>,
    /// The names of the failing tests, at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub failing_tests: Vec<String>,
    /// Each failure in the tool's own words: a test with its reason, or a compiler's or linter's message with its
    /// location. At most 50, of at most 300 characters each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub failures: Vec<String>,
    /// Number of further failures.
    #[serde(skip_serializing_if = "is_none", default)]
    pub more_failures: u64,
    /// The type of the exception.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exception: Option<String>,
    /// The error in the tool's words, one line of at most 300 characters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_message: Option<String>,
    /// What was expected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected: Option<String>,
    /// What was received instead.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub actual: Option<String>,
}

fn is_none(more: &u64) -> bool {
    *more == 0
}

/// A failure signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Signal {
    /// Its type.
    pub kind: SignalKind,
    /// Calibrated probability that the type is right, 0 to 1.
    pub confidence: f64,
    /// The evidence, strongest first.
    pub cues: Vec<Cue>,
    /// The extracted facts.
    pub facts: Facts,
    /// The reason, in one sentence naming the strongest cues.
    pub rationale: String,
}

/// The output of a classifier with fixed labels, including `none`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prediction {
    /// The label.
    pub label: String,
    /// Calibrated probability that the label is right, 0 to 1.
    pub confidence: f64,
    /// The evidence, strongest first.
    pub cues: Vec<Cue>,
    /// The reason, in one sentence.
    pub rationale: String,
}

/// Formats the verdict and its strongest cues as one sentence.
pub(super) fn rationale(label: &str, confidence: f64, cues: &[Cue]) -> String {
    let named: Vec<String> = cues.iter().take(3).map(|cue| format!("\"{}\" ({})", cue.words, cue.rule)).collect();
    let why = if named.is_empty() { "no cue speaks of anything else".to_owned() } else { named.join(", ") };
    format!("{label} at {}: {why}.", percent(confidence))
}
