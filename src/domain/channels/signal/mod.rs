//! What a program's output or a person's words say about the work before them: it failed to run, it failed its
//! checks, it was rejected, it is nearly right, or nothing of the kind (specification, "Refinement: Failure signals").
//!
//! Facts come first (exit code, a runner's report, the tool), then guarded cues, then the specification's own
//! patterns as the base set. Guards are idioms and benign phrases whose words the patterns would take for a failure or
//! a rejection ("0 failed", "error handling", "no problem", "not wrong", quotations, code): what a guard covers no cue
//! and no base pattern sees. A base pattern alone counts only where a person speaks, and briefly. What to do about a
//! signal is `refine`'s work; whether the next turn of a conversation accepts an answer is another module's.

mod calibrate;
mod facts;
mod failure;
mod failure_cues;
#[cfg(test)]
mod failure_tests;
mod language;
mod language_cues;
pub mod patterns;
mod report;
mod stance;
#[cfg(test)]
mod tests;
mod text;
mod tools;

pub use calibrate::expected_calibration_error;
pub use stance::{STANCE_LABELS, examples, features, predict_stance, train_stance};

use crate::domain::prose::percent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many cues a verdict names at most.
pub const MAX_CUES: usize = 8;

/// What it takes to overrule cues or to speak without them.
const CLEAR: f64 = 0.75;

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
    /// All of them, in the specification's order.
    pub const ALL: [SignalKind; 4] = [
        SignalKind::RuntimeError,
        SignalKind::VerificationFailure,
        SignalKind::UserRejection,
        SignalKind::PartialSuccess,
    ];

    /// The specification's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            SignalKind::RuntimeError => "runtime_error",
            SignalKind::VerificationFailure => "verification_failure",
            SignalKind::UserRejection => "user_rejection",
            SignalKind::PartialSuccess => "partial_success",
        }
    }
}

/// What was seen. Only the text is required; every fact that is known makes the verdict surer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observation<'a> {
    /// The output, the log line or the remark.
    pub text: &'a str,
    /// The exit code of the command that wrote it.
    pub exit_code: Option<i32>,
    /// The tool or the command line: `pytest`, `bash`, `cargo test`.
    pub tool: Option<&'a str>,
    /// A report beside the text: JUnit XML or a runner's summary.
    pub report: Option<&'a str>,
    /// Whether a person wrote the text. Where it is not told, an exit code, a tool or a report say no, and other
    /// texts are read both ways.
    pub from_user: Option<bool>,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cue {
    /// The id of the rule that found it, `group.name`.
    pub rule: String,
    /// The words, at most 120 characters.
    pub words: String,
    /// How much it says, 0 to 1.
    pub weight: f64,
}

/// What could be read out of the text and what came with it.
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
    /// Tests that passed, where a report was read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub passed: Option<u64>,
    /// Tests that failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed: Option<u64>,
    /// Tests that could not be judged.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub errors: Option<u64>,
    /// Tests left out, or failing as expected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skipped: Option<u64>,
    /// The names of the tests that failed, at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub failing_tests: Vec<String>,
    /// The type of the exception.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exception: Option<String>,
    /// The error in the words of the tool, one line of at most 300 characters.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_message: Option<String>,
    /// What was expected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected: Option<String>,
    /// What came instead.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub actual: Option<String>,
}

/// A signal of failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Signal {
    /// Its type.
    pub kind: SignalKind,
    /// How probable it is that the type is right, 0 to 1, calibrated.
    pub confidence: f64,
    /// The evidence, the strongest first.
    pub cues: Vec<Cue>,
    /// What could be read out.
    pub facts: Facts,
    /// Why, in one sentence that names the strongest cues.
    pub rationale: String,
}

/// The answer of a classifier with fixed labels, among them `none`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prediction {
    /// The label.
    pub label: String,
    /// How probable it is that the label is right, 0 to 1, calibrated.
    pub confidence: f64,
    /// The evidence, the strongest first.
    pub cues: Vec<Cue>,
    /// Why, in one sentence.
    pub rationale: String,
}

/// Reads what was seen. `None` where nothing signals a failure. Deterministic and without panics; of a very long text
/// the head and the tail are read.
///
/// Failures are told by facts before words, verification before runtime when a runner's report is present
/// (specification, "Refinement"). Of what a person says, praise with an adjustment is a partial success, not a
/// rejection.
pub fn detect(seen: &Observation<'_>) -> Option<Signal> {
    let clean = text::clean(seen.text);
    let failure = failure::read(&clean, seen);
    let by_machine = seen.exit_code.is_some() || seen.tool.is_some() || seen.report.is_some();
    let spoken = seen.from_user.unwrap_or(!by_machine && language::is_remark(&clean));
    let voice = spoken.then(|| language::read(seen.text));
    let said = voice.as_ref().and_then(|voice| opinion(seen.text, voice));
    let facts = facts::read(&clean, seen, &failure);
    let (kind, base, cues, boosted) = match (failure.verdict, said) {
        // Facts and clear evidence come before opinions on them; of two opinions the stronger one counts.
        (Some((kind, base)), said) if base >= 0.7 || said.is_none_or(|(_, other)| base > other) => {
            let boosted = match kind {
                SignalKind::RuntimeError => facts.exception.is_some() || facts.error_message.is_some(),
                _ => !facts.failing_tests.is_empty(),
            };
            (kind, base, failure.cues, boosted)
        }
        (_, Some((kind, base))) => {
            let voice = voice.unwrap_or_default();
            let boosted = if kind == SignalKind::UserRejection { voice.again } else { voice.change };
            (kind, base, voice.cues_for(kind), boosted)
        }
        _ => return None,
    };
    let raw = (base * calibrate::BASE + if boosted { patterns::boost(kind) } else { 0.0 }).clamp(0.0, 1.0);
    let confidence = calibrate::signal(raw);
    Some(Signal { kind, confidence, rationale: rationale(kind.as_str(), confidence, &cues), cues, facts })
}

/// What the cues of a remark say, where the model of stances does not clearly say otherwise; without cues what the
/// model clearly says.
fn opinion(remark: &str, voice: &language::Voice) -> Option<(SignalKind, f64)> {
    let judged = stance::judge(remark, voice);
    let kind = SignalKind::ALL.into_iter().find(|kind| kind.as_str() == judged.label);
    match (voice.verdict(), kind) {
        (Some(_), None) if judged.confidence() >= CLEAR && voice.strongest_cue() < CLEAR => None,
        (Some(verdict), _) => Some(verdict),
        (None, Some(kind)) if judged.confidence() >= CLEAR => Some((kind, judged.confidence())),
        (None, _) => None,
    }
}

/// Whether a tool's output or a log line tells of a failure: `runtime_error`, `verification_failure` or `none`.
pub fn predict_failure(text: &str) -> Prediction {
    let seen = Observation { text, ..Observation::default() };
    let clean = text::clean(text);
    let reading = failure::read(&clean, &seen);
    let (label, confidence) = match reading.verdict {
        Some((kind, weight)) => (kind.as_str(), calibrate::failure(weight)),
        None if reading.passed => ("none", calibrate::no_failure(0.0)),
        None => ("none", calibrate::no_failure(reading.doubt)),
    };
    Prediction {
        label: label.to_owned(),
        confidence,
        rationale: rationale(label, confidence, &reading.cues),
        cues: reading.cues,
    }
}

/// A text as people read it: the head and the tail of a long one, without terminal codes and control characters.
pub fn readable(text: &str) -> String {
    text::clean(text)
}

/// The verdict and its strongest cues in one sentence.
fn rationale(label: &str, confidence: f64, cues: &[Cue]) -> String {
    let named: Vec<String> = cues.iter().take(3).map(|cue| format!("\"{}\" ({})", cue.words, cue.rule)).collect();
    let why = if named.is_empty() { "no cue speaks of anything else".to_owned() } else { named.join(", ") };
    format!("{label} at {}: {why}.", percent(confidence))
}
