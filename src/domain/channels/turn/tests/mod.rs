//! Tests: every table, default, formula and example of the specification ("Turns"), and what the base patterns get
//! wrong.

mod context;
mod judge;
mod records;
mod rephrase;
mod search;

use super::*;

/// An exchange without a similarity.
fn exchange(query: &str, response: &str, text: &str) -> Exchange {
    Exchange {
        previous_query: query.to_owned(),
        previous_response: response.to_owned(),
        text: text.to_owned(),
        similarity: None,
    }
}

fn rejected(text: &str, kind: CorrectionType) -> FeedbackResult {
    FeedbackResult {
        feedback_type: FeedbackType::Rejected,
        confidence: 0.9,
        correction_type: Some(kind),
        user_said: Some(text.to_owned()),
        rationale: String::new(),
        cues: Vec::new(),
    }
}
