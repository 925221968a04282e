//! One question and its answer: simplified if a server supports less, with more room if the model needs it for
//! reasoning, and failures in words without secrets.

use super::server_profile::{ServerProfile, SharedProfile};
use super::wire::{Came, Dialect, usage};
use crate::domain::rules::draft::advice::{AdviceFailure, Prompt, Usage};
use crate::ports::{Rest, RestError};
use std::path::PathBuf;
use std::sync::Arc;

/// The fields a server's error may complain about. Its message is searched for them, and nothing else of it is kept.
pub const FIELDS: &[&str] =
    &["response_format", "json_schema", "max_tokens", "max_completion_tokens", "reasoning_effort"];

/// Maximum attempts per question, including exploratory ones.
const TRIES: usize = 10;

/// Which model is asked, and how.
#[derive(Clone, Debug)]
pub struct ModelOptions {
    /// The dialect of its interface.
    pub dialect: Dialect,
    /// The model's name.
    pub model: String,
    /// The endpoint's path, relative to the server's base, with its query.
    pub path: String,
    /// The reasoning effort; empty for the server's default.
    pub effort: String,
    /// The server, the key of its settings in the file.
    pub server: String,
    /// The file that stores how servers expect requests.
    pub known: Option<PathBuf>,
}

/// A server to ask.
pub(super) struct Server {
    rest: Box<dyn Rest>,
    options: ModelOptions,
    shared: Arc<SharedProfile>,
}

impl Server {
    pub(super) fn new(rest: Box<dyn Rest>, options: ModelOptions, shared: Arc<SharedProfile>) -> Server {
        Server { rest, options, shared }
    }

    /// Asks until there is an answer or nothing else to try.
    pub(super) fn ask(&self, prompt: &Prompt) -> (Result<String, AdviceFailure>, Usage) {
        let mut spent = Usage::default();
        let mut known = self.shared.get();
        let mut roomier = false;
        for _ in 0..TRIES {
            let next = match self.once(prompt, &known, &mut spent) {
                Ok(text) => {
                    self.shared.answered(known);
                    return (Ok(text), spent);
                }
                Err(Trouble::Room) => {
                    roomier = true;
                    known.roomier(self.options.dialect == Dialect::OpenAi).ok_or(AdviceFailure::CutOff)
                }
                // It does not accept so high a limit.
                Err(Trouble::Refused(_, names)) if roomier && names.is_empty() => Err(AdviceFailure::CutOff),
                Err(Trouble::Refused(why, names)) => match self.less(prompt, known, &names) {
                    Some(next) if !names.is_empty() || !is_filter(&why) => Ok(next),
                    _ => Err(AdviceFailure::Refused(why)),
                },
                Err(Trouble::Final(failure)) => Err(failure),
            };
            match next {
                Ok(next) => known = next,
                Err(failure) => return (Err(failure), spent),
            }
        }
        (Err(AdviceFailure::Refused("it rejects every form of the request".to_owned())), spent)
    }

    /// Returns the next thing to try that changes the request.
    fn less(&self, prompt: &Prompt, known: ServerProfile, names: &[&str]) -> Option<ServerProfile> {
        let ModelOptions { dialect, model, effort, .. } = &self.options;
        let before = dialect.body(model, prompt, effort, &known);
        let mut next = known.less(names)?;
        while dialect.body(model, prompt, effort, &next) == before {
            next = next.less(names)?;
        }
        Some(next)
    }

    fn once(&self, prompt: &Prompt, known: &ServerProfile, spent: &mut Usage) -> Result<String, Trouble> {
        let ModelOptions { dialect, model, path, effort, .. } = &self.options;
        let body = dialect.body(model, prompt, effort, known);
        let answer = match self.rest.send("POST", path, Some(&body)) {
            Ok(answer) => answer,
            Err(error) => return Err(trouble(error)),
        };
        let came = dialect.came(&answer);
        let text = if let Came::Text(text) = &came { text.as_str() } else { "" };
        let took = usage(&answer, prompt, text);
        (spent.input, spent.output) = (spent.input + took.input, spent.output + took.output);
        match came {
            Came::Text(text) => Ok(text),
            Came::Nothing => Err(Trouble::Room),
            Came::Refused(why) => Err(Trouble::Final(AdviceFailure::Refused(why))),
            Came::Failed(code) => Err(Trouble::Final(failed(&format!("it returned the error {code}")))),
            Came::Unreadable => Err(Trouble::Final(failed("its response is not an answer; check model.provider"))),
        }
    }
}

/// Why there is no text.
enum Trouble {
    /// The answer needs more room.
    Room,
    /// The server refuses, for this reason, naming these fields.
    Refused(String, Vec<&'static str>),
    Final(AdviceFailure),
}

/// Reports whether a refusal is about the question's content, not its form.
fn is_filter(why: &str) -> bool {
    ["filter", "policy", "safety", "moderation"].iter().any(|word| why.to_lowercase().contains(word))
}

fn trouble(error: RestError) -> Trouble {
    let (status, code, names) = match error {
        RestError::TimedOut => return Trouble::Final(AdviceFailure::Timeout),
        RestError::Failed(why) => return Trouble::Final(failed(&why)),
        RestError::Elsewhere => return Trouble::Final(failed(&RestError::Elsewhere.to_string())),
        RestError::Status(status) => (status, String::new(), Vec::new()),
        RestError::Said { status, code, names } => (status, code, names),
    };
    match status {
        // A provider's moderation.
        403 if is_filter(&code) || code == "403" => Trouble::Refused(format!("HTTP status 403, {code}"), names),
        400 | 409 | 413 | 415 | 422 => {
            let code = if code.is_empty() { code } else { format!(", {code}") };
            Trouble::Refused(format!("HTTP status {status}{code}"), names)
        }
        _ => {
            let hint = match status {
                401 | 403 => "; check model.api_key_file",
                404 | 405 => "; check model.url and model.model",
                402 => "; the account has no credit left",
                _ => "",
            };
            Trouble::Final(failed(&format!("it answers with HTTP status {status}{hint}")))
        }
    }
}

fn failed(why: &str) -> AdviceFailure {
    AdviceFailure::Failed(format!("the model's server: {why}"))
}
