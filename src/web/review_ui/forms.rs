//! `POST /gates/{gateId}`: the gate form's feedback.

use super::call::{Call, tell};
use super::shapes::{Classified, FeedbackResponse, FeedbackSubmission};
use crate::api::request::{bad, json, unprocessable};
use crate::app::decisions::gate_form::{Form, FormError};
use crate::problem::Problem;
use axum::http::StatusCode;

/// Maximum length of a key, in bytes.
const MAX_KEY: usize = 255;

/// Handles `POST /gates/{gateId}`
pub fn give(call: &Call<'_>) -> Result<Vec<u8>, Problem> {
    let gate_id = call.part("gate");
    let sent: FeedbackSubmission = json(&call.body)?;
    if sent.gate_id.as_ref().is_some_and(|named| *named != gate_id) {
        return Err(unprocessable("`gateId` differs from the one in the path; send the same"));
    }
    let duration_seconds = match sent.duration_seconds {
        Some(seconds) if !(0.0..1e15).contains(&seconds) => {
            return Err(unprocessable("`durationSeconds` must be a number of seconds, 0 or more"));
        }
        // Checked above: non-negative, and far below the type's maximum.
        Some(seconds) => Some(seconds.round() as u64),
        None => None,
    };
    let text = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let form = Form {
        gate_id,
        verdict: sent.decision.into(),
        tags: sent.tags.unwrap_or_default(),
        summary: text(sent.summary),
        severity: sent.severity,
        consider_for_improvement: sent.consider_for_improvement,
        duration_seconds,
        correction_diff: text(sent.correction_diff),
        comment: text(sent.reviewer_comment),
    };
    let by = call.who(&call.ui.people.gate_form_id)?;
    let key = call.key.as_deref();
    if key.is_some_and(|key| key.is_empty() || key.len() > MAX_KEY) {
        return Err(bad(format!("`Idempotency-Key` has 1 to {MAX_KEY} characters")));
    }
    let channels = &call.services.channels;
    let taken = call.ui.gates.give(channels, &form, &by, key, channels.clock.now()).map_err(refused)?;
    tell(&FeedbackResponse {
        success: true,
        feedback_id: taken.feedback_id,
        classification: taken
            .evaluated
            .map(|(class, confidence)| Classified { kind: class.as_str().to_ascii_lowercase(), confidence }),
    })
}

fn refused(error: FormError) -> Problem {
    let status = match &error {
        FormError::NoGate(_) => StatusCode::NOT_FOUND,
        FormError::NoType(_) | FormError::OtherContent | FormError::Rejected(_) => StatusCode::UNPROCESSABLE_ENTITY,
        FormError::Bus(_) | FormError::Query(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    Problem::new(status, error.to_string())
}
