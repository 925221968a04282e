//! What came back for a question, before anybody believes it.

use crate::text::prose::line;
use crate::text::redact::clean_text;
use thiserror::Error;

/// What came back for a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviceAnswer {
    /// [`AdviceQuestion::hash`](super::AdviceQuestion::hash)
    pub question: String,
    /// The model's text as it is, or why there is none.
    pub text: Result<String, AdviceFailure>,
    /// What it took, all tries together.
    pub usage: Usage,
}

/// Tokens that questions took, as the server counted them, or four characters as one token if it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of questions.
    pub input: u64,
    /// Tokens of answers, with those of reasoning.
    pub output: u64,
}

/// Why there is no answer. It never holds a key, nor what the model said.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AdviceFailure {
    /// It took too long.
    #[error("no answer in time")]
    Timeout,
    /// The provider refuses this question: a content filter, a refusal, a status 400 that asking for less does not mend.
    /// Another question may be answered.
    #[error("the model's server refuses the question: {0}")]
    Refused(String),
    /// The limit of tokens cut the answer off before anything of it could be read, with a larger limit as well.
    #[error("the limit of tokens cuts the answer off")]
    CutOff,
    /// The server cannot be reached, refuses every question, or what it sends cannot be read.
    #[error("{0}")]
    Failed(String),
}

/// Who is named where a model decided something: `model:<name>`.
pub fn adviser(model: &str) -> String {
    format!("model:{}", line(&clean_text(model), 80))
}
