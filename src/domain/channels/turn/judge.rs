//! The verdict on a turn: the model's, with the guards required by the specification.

use super::before::Before;
use super::exchange::Exchange;
use super::parsed::ExchangeReading;
use super::patterns::{self, REPHRASED_ABOVE};
use super::rephrase::{points_back, rephrased};
use super::text::said;
use super::verdict::{CorrectionType, Cue, FeedbackResult, FeedbackType};
use crate::text::language::linear::{Model, Prediction};
use std::sync::LazyLock;

/// "Don't mark previous turn as rejected unless confident" (specification, "Turns: Ambiguous answers"): below this it
/// is neutral.
const REJECTED_FROM: f64 = 0.5;

/// Minimum probability of a repeated question if there is no similarity.
const SURE: f64 = 0.85;

/// The confidence of an explicit rejection (specification, "Turns: Detection", priority 1).
const EXPLICIT: f64 = 0.9;

static MODEL: LazyLock<Model> =
    LazyLock::new(|| Model::parse(include_str!("next_turn.tsv")).expect("a committed table"));

/// Judges the previous turn by what the user said next. Deterministic and linear in the texts, of which only the
/// beginnings and ends are read.
pub fn judge(exchange: &Exchange) -> FeedbackResult {
    let reading = ExchangeReading::new(exchange);
    let prediction = MODEL.predict(&reading.features());
    let label = label(&prediction);
    if let Some(result) = asked_again(exchange, &reading, &prediction) {
        return result;
    }
    if label != FeedbackType::Rejected && corrects(&reading) {
        return corrected(exchange);
    }
    let correction_type = (label == FeedbackType::Rejected)
        .then(|| if patterns::abandons(&reading) { CorrectionType::Abandonment } else { CorrectionType::Explicit });
    let cues: Vec<Cue> = prediction
        .cues
        .iter()
        .map(|(cue, weight)| Cue { cue: cue.clone(), weight: (weight * 100.0).round() / 100.0 })
        .collect();
    FeedbackResult {
        feedback_type: label,
        confidence: round(prediction.probability(label.as_str())),
        correction_type,
        user_said: (label == FeedbackType::Rejected).then(|| said(&exchange.text)),
        rationale: rationale(&reading, label, &prediction),
        cues: if label.as_str() == prediction.label { cues } else { Vec::new() },
    }
}

/// Reports a correction such as "No, I meant ...", whatever the response ended with. After "anything else?" a bare "no"
/// means satisfaction; the model has seen many of those and would misread this.
fn corrects(reading: &ExchangeReading) -> bool {
    reading.has("begins with no") && reading.has("says what was meant")
}

fn corrected(exchange: &Exchange) -> FeedbackResult {
    FeedbackResult {
        feedback_type: FeedbackType::Rejected,
        confidence: EXPLICIT,
        correction_type: Some(CorrectionType::Explicit),
        user_said: Some(said(&exchange.text)),
        rationale: format!("rejected {EXPLICIT:.2}: the text begins with no and says what was meant."),
        cues: vec![Cue { cue: "begins with no, says what was meant".to_owned(), weight: 1.0 }],
    }
}

/// Detects the same question in other words (priority 2), if the response did not ask for the repetition and nothing in
/// the text shows that the user moves on.
fn asked_again(exchange: &Exchange, reading: &ExchangeReading, prediction: &Prediction) -> Option<FeedbackResult> {
    let invited = matches!(
        reading.before,
        Before::AnythingElse | Before::Confirmation | Before::Offer | Before::Question | Before::Done | Before::Nothing
    );
    let goes_on = ["thanks", "closes", "agrees", "praises", "begins with yes", "also", "selects"];
    if invited || goes_on.iter().any(|cue| reading.has(cue)) || patterns::abandons(reading) {
        return None;
    }
    if points_back(&reading.query, &reading.text) {
        return None;
    }
    let again = rephrased(&exchange.previous_query, &exchange.text, exchange.similarity);
    // Both conditions of the specification: near, and the same intent. Without a similarity, the words must be certain.
    let near = exchange.similarity.map_or(again.confidence >= SURE, |similar| similar > REPHRASED_ABOVE);
    if !near || !again.is || prediction.probability("rejected") > again.confidence {
        return None;
    }
    Some(FeedbackResult {
        feedback_type: FeedbackType::Rejected,
        confidence: again.confidence,
        correction_type: Some(CorrectionType::Rephrased),
        user_said: Some(said(&exchange.text)),
        rationale: format!(
            "rejected {:.2}: the question before, in other words{}.",
            again.confidence,
            exchange.similarity.map_or_else(String::new, |similar| format!(" (similarity {similar:.2})"))
        ),
        cues: again.cues,
    })
}

/// Returns the features weighed by the model, for training and inspection.
pub fn features(exchange: &Exchange) -> Vec<(String, f32)> {
    ExchangeReading::new(exchange).features()
}

fn label(prediction: &Prediction) -> FeedbackType {
    match prediction.label.as_str() {
        "rejected" if prediction.confidence() >= REJECTED_FROM => FeedbackType::Rejected,
        "accepted" => FeedbackType::Accepted,
        _ => FeedbackType::Neutral,
    }
}

fn rationale(reading: &ExchangeReading, label: FeedbackType, prediction: &Prediction) -> String {
    let shown: Vec<&str> = reading.cues.iter().copied().take(4).collect();
    let cues = if shown.is_empty() { "no cue of its own".to_owned() } else { shown.join(", ") };
    // A probability looks like a reason; if there is none, say so.
    let nothing = match (shown.is_empty(), &reading.before) {
        (true, Before::Nothing) => " Nothing is seen that speaks for it: it is how such turns mostly go.",
        (true, _) => " Nothing in the text itself speaks for it.",
        (false, _) => "",
    };
    let others: Vec<String> = prediction
        .probabilities
        .iter()
        .filter(|(name, _)| name != label.as_str())
        .map(|(name, p)| format!("{name} {p:.2}"))
        .collect();
    let before = reading.before.name();
    format!(
        "{} {:.2} ({}): the text {cues}; before it {before}.{nothing}",
        label.as_str(),
        // Never report an uncertain result as certain.
        prediction.probability(label.as_str()).min(0.99),
        others.join(", ")
    )
}

fn round(p: f64) -> f64 {
    (p * 10_000.0).round() / 10_000.0
}
