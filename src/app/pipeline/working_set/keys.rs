//! The names under which what came in is known, so that a redelivery changes nothing.

/// The name under which a review is known.
pub fn review_key(review_id: &str) -> String {
    format!("review\u{1f}{review_id}")
}

/// The name under which an injection is known.
pub fn injection_key(injection_id: &str) -> String {
    format!("injection\u{1f}{injection_id}")
}

/// The name under which a follow-up of a review is known.
pub fn follow_up_key(follow_up_id: &str) -> String {
    format!("follow-up\u{1f}{follow_up_id}")
}

/// The name under which a question to a model is known.
pub fn advice_key(question_hash: &str) -> String {
    format!("advice\u{1f}{question_hash}")
}

/// The name under which it is known that a model was asked about these.
pub fn about_key(about: &[String]) -> String {
    format!("about\u{1f}{}", about.join("\u{1f}"))
}

/// The name under which it is known that a model was asked where a demand belongs.
pub fn placed_key(feedback_id: &str) -> String {
    format!("placed\u{1f}{feedback_id}")
}

/// The name under which it is known that a model was asked that once more.
pub fn again_key(feedback_id: &str) -> String {
    format!("again\u{1f}{feedback_id}")
}

/// The name under which it is known that a model was asked to read a remark.
pub fn reading_key(feedback_id: &str) -> String {
    format!("reading\u{1f}{feedback_id}")
}

/// The key under which a turn is known.
pub fn turn_key(session_id: &str, turn_id: &str) -> String {
    format!("turn\0{session_id}\0{turn_id}")
}

/// The key under which an action is known.
pub fn action_key(action_id: &str) -> String {
    format!("action\0{action_id}")
}

/// The key under which a refinement is known.
pub fn refinement_key(refinement_id: &str) -> String {
    format!("refinement\0{refinement_id}")
}

/// The key under which a review document is known.
pub fn iteration_key(target: &str, id: &str) -> String {
    format!("iteration\0{target}\0{id}")
}
