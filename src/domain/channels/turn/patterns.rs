//! The specification's five steps, verbatim (specification, "Turns: Detection" and the tables of signals). They are the
//! documented base set: `base` applies them literally, while the model uses them as cues and knows where they misfire
//! ("no, thank you", "I want to leave on Tuesday", "nothing wrong with that").

use super::exchange::Exchange;
use super::parsed::ExchangeReading;
use super::text::{is_common, said};
use super::verdict::{CorrectionType, FeedbackResult, FeedbackType};
use regex::Regex;
use std::sync::LazyLock;

/// Similarity of the two queries above which the second repeats the first (specification, "Turns: Rephrasing").
pub const REPHRASED_ABOVE: f64 = 0.8;

static EXPLICIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\W*(?:no|wrong|actually)\b|^\W*not what i\b|\bi (?:meant|want|need)\b|\bthat(?:'s| is) (?:wrong|not (?:what|right|correct))|\bnot what i (?:asked|meant|need|wanted)|\byou misunderstood\b|\btry again\b|\b(?:that )?does(?:n't| not) help\b|\bnot (?:helpful|useful)\b",
    )
    .expect("a constant")
});

static ABANDONMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bnever ?mind\b|\bforget (?:that|it)\b|\blet me rephrase\b|\bstart over\b").expect("a constant")
});

static CONTINUATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\btell me more\b|\bcan you explain\b|\bwhat about\b|\bwhich one\b|\bcompare\b|\bbetween\b|^\W*(?:and|also|what if)\b|\b(?:thanks|thank you)\b|\bi'll (?:go with|take)\b",
    )
    .expect("a constant")
});

/// Returns the specification's verdict by its patterns alone: explicit 0.9, rephrased by its similarity, abandonment
/// 0.85, continuation 0.7, default neutral 0.5 (specification, "Turns: Detection"). Shown next to the judge's own
/// verdict; [`super::judge`] does not use it.
pub fn base(exchange: &Exchange) -> FeedbackResult {
    let reading = ExchangeReading::new(exchange);
    let similar = exchange.similarity.filter(|value| value.is_finite() && *value > REPHRASED_ABOVE);
    let (feedback_type, confidence, correction_type, step) = if EXPLICIT.is_match(&reading.text.lower) {
        (FeedbackType::Rejected, 0.9, Some(CorrectionType::Explicit), "explicit rejection pattern")
    } else if let Some(similar) = similar {
        (FeedbackType::Rejected, similar.min(1.0), Some(CorrectionType::Rephrased), "query similarity above 0.8")
    } else if ABANDONMENT.is_match(&reading.text.lower) {
        (FeedbackType::Rejected, 0.85, Some(CorrectionType::Abandonment), "abandonment pattern")
    } else if continues(&reading) {
        (FeedbackType::Accepted, 0.7, None, "continuation pattern")
    } else {
        (FeedbackType::Neutral, 0.5, None, "default")
    };
    FeedbackResult {
        feedback_type,
        confidence,
        correction_type,
        user_said: (feedback_type == FeedbackType::Rejected).then(|| said(&exchange.text)),
        rationale: format!("The specification's patterns alone: {step}."),
        cues: Vec::new(),
    }
}

/// Reports whether the text gives up (priority 3).
pub(crate) fn abandons(reading: &ExchangeReading) -> bool {
    ABANDONMENT.is_match(&reading.text.lower) || reading.has("gives up")
}

/// Reports whether the text continues from the response (priority 4): in words, or by naming what the response names.
fn continues(reading: &ExchangeReading) -> bool {
    CONTINUATION.is_match(&reading.text.lower) || refers(reading)
}

/// Reports whether the text names something that the response names and the query did not: a product, a price, a longer
/// number.
fn refers(reading: &ExchangeReading) -> bool {
    let said: std::collections::BTreeSet<&str> = reading.response.words.iter().map(String::as_str).collect();
    let asked: std::collections::BTreeSet<&str> = reading.query.words.iter().map(String::as_str).collect();
    let names = reading.response.names();
    let own = reading.text.words.iter().map(String::as_str);
    own.filter(|word| said.contains(word) && !asked.contains(word)).any(|word| {
        let number = word.len() > 2 && word.chars().all(|one| one.is_ascii_digit());
        number || (word.len() > 3 && names.contains(word) && !is_common(word))
    })
}

/// Returns the steps that the text matches, for the model.
pub(crate) fn steps(reading: &ExchangeReading) -> Vec<&'static str> {
    let text = reading.text.lower.as_str();
    [
        (EXPLICIT.is_match(text), "explicit"),
        (ABANDONMENT.is_match(text), "abandonment"),
        (CONTINUATION.is_match(text), "continuation"),
        (refers(reading), "names what the response names"),
    ]
    .into_iter()
    .filter_map(|(holds, step)| holds.then_some(step))
    .collect()
}
