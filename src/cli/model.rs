//! Shared code for commands that ask the language model about many comments and wait: estimated cost and progress.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::progress_bar;
use crate::app::pipeline::{Pipeline, Progress};
use crate::config::{Config, process_environment};
use crate::domain::records::record::Tokens;
use crate::text::prose::count;
use crate::wiring;
use std::borrow::Cow;
use std::path::PathBuf;

/// Approximate tokens per comment, measured on comments of real projects with all three kinds of questions.
const TOKENS_IN: u64 = 290;
const TOKENS_OUT: u64 = 60;
/// Approximate number of comments per question.
const COMMENTS: u64 = 8;

/// The choice of language model.
#[derive(Debug, clap::Args)]
pub struct ModelArgs {
    /// Ask this language model: another one of the configured server or, if none is configured, one known by its name
    /// (`claude-…`, `gpt-…`, `gemini-…`) or as PROVIDER/MODEL, with its key from the environment (OPENAI_API_KEY)
    #[arg(long, value_name = "NAME", conflicts_with = "no_model")]
    model: Option<String>,
    /// Do not ask a language model, even if one is configured
    #[arg(long)]
    no_model: bool,
    /// Take the language model's answers from this file; missing ones are requested from the configured model and added
    #[arg(long, value_name = "FILE")]
    model_answers: Option<PathBuf>,
}

impl ModelArgs {
    /// Reports whether anything was chosen.
    pub fn is_named(&self) -> bool {
        self.model.is_some() || self.no_model || self.model_answers.is_some()
    }

    /// Returns the configuration with the chosen model.
    ///
    /// # Errors
    /// If no provider of that model is known, or there is no key.
    pub fn configured<'c>(&self, config: &'c Config) -> Result<Cow<'c, Config>, CliError> {
        let Some(name) = &self.model else { return Ok(Cow::Borrowed(config)) };
        let model = config.model.with_model(name, &process_environment());
        let model = model.map_err(|unknown| CliError::new(Exit::Configuration, unknown.message, unknown.hint))?;
        let mut config = config.clone();
        config.model = model;
        Ok(Cow::Owned(config))
    }

    /// Enables the pipeline to ask the model. Returns false if there is no model.
    pub fn advise(&self, pipeline: &mut Pipeline, config: &Config) -> Result<bool, CliError> {
        Ok(wiring::advise(pipeline, config, self.model_answers.as_deref(), self.no_model)?)
    }
}

/// Asks until no questions are left or the day's budget is used up, and shows progress. Returns the proposals made from
/// the answers.
pub fn follow(pipeline: &mut Pipeline, config: &Config, out: &mut Output<'_>) -> Result<Vec<String>, CliError> {
    let comments = pipeline.unread() as u64;
    if comments > 0 {
        out.notice(&estimate(comments, config));
    }
    let bar = progress_bar::bar(Some(comments / COMMENTS + 1));
    progress_bar::lay_out(&bar, "{bar:30} {pos} of {len} questions  {msg}  {elapsed}, {eta} left");
    let clock = wiring::clock();
    let mut last = Progress::default();
    let followed = pipeline.follow_advice(&|| clock.now(), &mut |progress| {
        bar.set_length((comments / COMMENTS + 1).max(progress.answered + progress.under_way));
        bar.set_position(progress.answered);
        bar.set_message(progress.failure.clone().unwrap_or_else(|| told(progress.tokens, config)));
        last = progress.clone();
        !progress.has_failed
    });
    bar.finish_and_clear();
    let proposals = followed.map_err(wiring::WiringError::from)?;
    out.notice(&ended(&last, config));
    Ok(proposals)
}

/// Estimates the cost before the start.
fn estimate(comments: u64, config: &Config) -> String {
    let tokens = Tokens { input: comments * TOKENS_IN, output: comments * TOKENS_OUT };
    format!(
        "asking {} about {}: some {} questions, {}",
        config.model.model,
        count(comments, "comment"),
        comments / COMMENTS + 1,
        told(tokens, config)
    )
}

fn ended(progress: &Progress, config: &Config) -> String {
    let said = format!("{} answered: {}", count(progress.answered, "question"), told(progress.tokens, config));
    match (&progress.failure, progress.is_spent) {
        (Some(why), _) => format!("{said}; the model fails ({why}), and the rest is asked when it answers again"),
        (None, true) => {
            format!("{said}; the day's budget (model.budget) is used up, and the rest follows in the next run")
        }
        (None, false) => said,
    }
}

/// Formats a token count, with its cost if known.
fn told(tokens: Tokens, config: &Config) -> String {
    let price = &config.model.price;
    let cost = (tokens.input as f64 * price.input + tokens.output as f64 * price.output) / 1e6;
    let money = if cost > 0.0 { format!(", {cost:.2} {}", price.currency) } else { String::new() };
    format!("{} tokens{money}", tokens.all())
}
