//! What came back for a question, before anybody believes it.

use crate::domain::prose::line;
use crate::domain::redact::clean_text;
use thiserror::Error;

/// What came back for a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviceAnswer {
    /// [`AdviceQuestion::hash`](super::AdviceQuestion::hash)
    pub question: String,
    /// The model's text as it is, or why there is none.
    pub text: Result<String, AdviceFailure>,
}

/// Why there is no answer. It never holds a key, nor what the model said.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AdviceFailure {
    /// It took too long.
    #[error("no answer in time")]
    Timeout,
    /// It cannot be reached, it refuses, or what it sends cannot be read.
    #[error("{0}")]
    Failed(String),
}

/// Who is named where a model decided something: `model:<name>`.
pub fn adviser(model: &str) -> String {
    format!("model:{}", line(&clean_text(model), 80))
}
