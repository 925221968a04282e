//! Combines the readings: facts before cues, clear evidence before opinions.

use super::evidence::{Observation, Prediction, Signal, SignalKind, rationale};
use super::{calibrate, facts, failure, language, patterns, stance, text};

/// Threshold for overruling cues, or for a verdict without them.
const CLEAR: f64 = 0.75;

/// Classifies an observation. Returns `None` if nothing signals a failure. Deterministic and panic-free; only the head
/// and the tail of a very long text are read.
///
/// Failures are detected by facts before words, and verification before runtime if a runner's report is present
/// (specification, "Refinement"). Praise with an adjustment from a person is a partial success, not a rejection.
pub fn detect(seen: &Observation<'_>) -> Option<Signal> {
    let clean = text::clean(seen.text);
    let failure = failure::read(&clean, seen);
    let by_machine = seen.exit_code.is_some() || seen.tool.is_some() || seen.report.is_some();
    let spoken = seen.from_user.unwrap_or(!by_machine && language::is_remark(&clean));
    let voice = spoken.then(|| language::read(seen.text));
    let said = voice.as_ref().and_then(|voice| opinion(seen.text, voice));
    let facts = facts::read(&clean, seen, &failure);
    let (kind, base, cues, boosted) = match (failure.verdict, said) {
        // Facts and clear evidence come before opinions; of two opinions, the stronger counts.
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

/// Returns what a comment's cues indicate unless the stance model clearly disagrees; without cues, what the model
/// clearly indicates.
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

/// Classifies a tool's output or a log line as `runtime_error`, `verification_failure` or `none`.
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

/// Returns a text in readable form: the head and the tail of a long one, without terminal codes and control characters.
pub fn readable(text: &str) -> String {
    text::clean(text)
}
