//! The consistency of an assessment's numbers and words with each other and with the items (specification, "Review
//! documents: Validation"). The schema reports missing parts.

use super::DocumentRule;
use super::diagnostic::{Diagnostic, text_at};
use serde_json::Value;

/// The limit below which a score does not accept, and a confidence escalates.
const HALF: f64 = 0.5;

/// Adds the contradictions within a document.
pub(super) fn consistency(value: &Value, found: &mut Vec<Diagnostic>) {
    iteration(value, found);
    let at = "/overall_assessment/verdict";
    let Some(verdict) = text_at(value, at) else { return };
    let number = |name: &str| value.pointer(&format!("/overall_assessment/{name}")).and_then(Value::as_f64);
    let items = value.get("feedback_items").and_then(Value::as_array);
    let is_critical = |item: &Value| text_at(item, "/severity") == Some("critical");
    let critical: Vec<String> = items
        .into_iter()
        .flatten()
        .enumerate()
        .filter(|(_, item)| is_critical(item))
        .map(|(index, _)| (index + 1).to_string())
        .collect();
    if verdict == "accept" && !critical.is_empty() {
        let which = crate::text::prose::list(critical.iter().map(String::as_str), 5);
        let message = "the document accepts despite a critical item";
        let found_here = format!("accept, with item {which} critical");
        found.push(Diagnostic::new(
            at,
            DocumentRule::VerdictCriticalAccepted,
            message,
            found_here,
            "refine, reject or escalate",
        ));
    }
    if let Some(score) = number("score").filter(|score| *score < HALF && verdict == "accept") {
        let message = "the document accepts with a score under 0.5";
        let found_here = format!("accept at {score}");
        found.push(Diagnostic::new(
            at,
            DocumentRule::VerdictLowScore,
            message,
            found_here,
            "refine, reject or escalate",
        ));
    }
    if let Some(confidence) = number("confidence").filter(|c| *c < HALF && verdict != "escalate") {
        let message = "the assessment is unsure but does not escalate";
        let found_here =
            format!("{} with confidence {confidence}", crate::channels::iteration::diagnostic::shown(verdict));
        found.push(Diagnostic::new(at, DocumentRule::VerdictLowConfidence, message, found_here, "escalate"));
    }
}

fn iteration(value: &Value, found: &mut Vec<Diagnostic>) {
    let number = |name: &str| value.pointer(&format!("/iteration/{name}")).and_then(Value::as_f64);
    let (Some(now), Some(max)) = (number("number"), number("max")) else { return };
    if now < 1.0 || max < 1.0 {
        return;
    }
    if now > max {
        let message = "the iteration number is above the maximum";
        let found_here = format!("iteration {now} of {max}");
        let pass = format!("a number from 1 to {max}");
        found.push(Diagnostic::new("/iteration/number", DocumentRule::IterationOverMax, message, found_here, pass));
        return;
    }
    if now == max && text_at(value, "/overall_assessment/verdict") == Some("refine") {
        let message = "the last iteration asks for another";
        let found_here = format!("refine in iteration {now} of {max}");
        let path = "/overall_assessment/verdict";
        found.push(Diagnostic::new(
            path,
            DocumentRule::IterationNoneLeft,
            message,
            found_here,
            "accept, reject or escalate",
        ));
    }
    let Some(phase) = text_at(value, "/iteration/phase") else { return };
    let fitting: &[&str] = match (now == 1.0, now == max) {
        (true, true) => &["initial", "final"],
        (true, false) => &["initial"],
        (false, true) => &["final"],
        (false, false) => &["refinement"],
    };
    if ["initial", "refinement", "final"].contains(&phase) && !fitting.contains(&phase) {
        let message = "the phase does not match the iteration number";
        let found_here = format!("{phase} in iteration {now} of {max}");
        found.push(Diagnostic::new(
            "/iteration/phase",
            DocumentRule::IterationPhase,
            message,
            found_here,
            fitting.join(" or "),
        ));
    }
}
