//! The keys under which received entries are known, so that a redelivery changes nothing.

/// Returns the key of a review.
pub fn review_key(review_id: &str) -> String {
    format!("review\u{1f}{review_id}")
}

/// Returns the key of an injection.
pub fn injection_key(injection_id: &str) -> String {
    format!("injection\u{1f}{injection_id}")
}

/// Returns the key of a review's follow-up.
pub fn follow_up_key(follow_up_id: &str) -> String {
    format!("follow-up\u{1f}{follow_up_id}")
}

/// Returns the key of a question to a model.
pub fn advice_key(question_hash: &str) -> String {
    format!("advice\u{1f}{question_hash}")
}

/// Returns the key recording that a model was asked about these.
pub fn about_key(about: &[String]) -> String {
    format!("about\u{1f}{}", about.join("\u{1f}"))
}

/// Returns the key recording that a model was asked where a demand belongs.
pub fn placed_key(feedback_id: &str) -> String {
    format!("placed\u{1f}{feedback_id}")
}

/// Returns the key recording that a model was asked where a demand belongs a second time.
pub fn again_key(feedback_id: &str) -> String {
    format!("again\u{1f}{feedback_id}")
}

/// Returns the key recording that a model was asked to read a comment.
pub fn reading_key(feedback_id: &str) -> String {
    format!("reading\u{1f}{feedback_id}")
}

/// Returns the key of a turn.
pub fn turn_key(session_id: &str, turn_id: &str) -> String {
    format!("turn\0{session_id}\0{turn_id}")
}

/// Returns the key of an action.
pub fn action_key(action_id: &str) -> String {
    format!("action\0{action_id}")
}

/// Returns the key of a refinement.
pub fn refinement_key(refinement_id: &str) -> String {
    format!("refinement\0{refinement_id}")
}

/// Returns the key of a review document.
pub fn iteration_key(target: &str, id: &str) -> String {
    format!("iteration\0{target}\0{id}")
}
