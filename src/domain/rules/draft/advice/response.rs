//! The response to a question, before validation.

use crate::text::prose::line;
use crate::text::redact::clean_text;
use thiserror::Error;

/// The response to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviceAnswer {
    /// [`AdviceQuestion::hash`](super::AdviceQuestion::hash)
    pub question: String,
    /// The model's raw text, or why there is none.
    pub text: Result<String, AdviceFailure>,
    /// The tokens used, all tries together.
    pub usage: Usage,
}

/// Tokens used by questions as counted by the server; estimated at four characters per token if it does not report
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of questions.
    pub input: u64,
    /// Tokens of answers, including reasoning.
    pub output: u64,
}

/// Why there is no answer. Never contains a key or the model's output.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AdviceFailure {
    /// It took too long.
    #[error("no answer in time")]
    Timeout,
    /// The provider refuses this question: a content filter, a refusal, or a status 400 that asking for less does not
    /// fix. Another question may be answered.
    #[error("the model's server rejects the question: {0}")]
    Refused(String),
    /// The token limit cut the answer off before any of it could be read, even with a larger limit.
    #[error("the token limit cuts the answer off")]
    CutOff,
    /// The server cannot be reached, refuses every question, or sends unreadable responses.
    #[error("{0}")]
    Failed(String),
}

/// Returns the name recorded for a model's decisions: `model:<name>`.
pub fn adviser(model: &str) -> String {
    format!("model:{}", line(&clean_text(model), 80))
}
