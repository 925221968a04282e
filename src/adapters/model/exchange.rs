//! One question and its answer: asked for less where a server knows less, and failures in words without secrets.

use super::wire::Dialect;
use crate::domain::rules::drafting::advice::{AdviceFailure, AdviceQuestion, prompt};
use crate::ports::{Rest, RestError};

/// Which model is asked, and how.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// Whose interface it speaks.
    pub dialect: Dialect,
    /// The model's name.
    pub model: String,
}

/// A server that is asked.
pub(super) struct Server {
    rest: Box<dyn Rest>,
    options: ModelOptions,
    /// It refused what not every server knows: it is asked without that.
    plain: bool,
}

impl Server {
    pub(super) fn new(rest: Box<dyn Rest>, options: ModelOptions) -> Server {
        Server { rest, options, plain: false }
    }

    /// Asks, and asks for less from then on where the server does not take the question as it is.
    pub(super) fn ask(&mut self, question: &AdviceQuestion) -> Result<String, AdviceFailure> {
        let mut answer = self.request(question);
        if !self.plain && matches!(answer, Err(RestError::Status(400 | 422))) {
            self.plain = true;
            answer = self.request(question);
        }
        answer.map_err(failure)
    }

    fn request(&self, question: &AdviceQuestion) -> Result<String, RestError> {
        let ModelOptions { dialect, model } = &self.options;
        let body = dialect.body(model, &prompt(question), self.plain);
        let answer = self.rest.send("POST", dialect.path(), Some(&body))?;
        dialect.text(&answer).ok_or_else(|| RestError::Failed("it sends what cannot be read".to_owned()))
    }
}

fn failure(error: RestError) -> AdviceFailure {
    let hint = match error {
        RestError::TimedOut => return AdviceFailure::Timeout,
        RestError::Status(401 | 403) => "; look at model.api_key_file",
        RestError::Status(404) => "; look at model.url and model.model",
        RestError::Status(_) | RestError::Failed(_) => "",
    };
    AdviceFailure::Failed(format!("the model's server: {error}{hint}"))
}
