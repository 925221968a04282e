//! The command line in this process, on what a test's configuration names.

use feedbackd::app::queries::reader::{Comparing, Reading, Reindexing};
use feedbackd::cli::{CliError, Exit, Opener, Output, invoke};
use feedbackd::config::Config;
use feedbackd::wiring;
use std::io::{BufRead, Cursor};
use std::path::Path;

/// Somebody with a configuration, at a terminal or not.
struct Person<'a> {
    config: &'a Config,
    answers: Option<&'static str>,
}

impl Opener for Person<'_> {
    fn config(&self, _: Option<&Path>) -> Result<Config, CliError> {
        Ok(self.config.clone())
    }

    fn reading(&self, _: Option<&Path>) -> Result<Reading, CliError> {
        Ok(wiring::reading(self.config)?)
    }

    fn comparing(&self, _: Option<&Path>) -> Result<Comparing, CliError> {
        Ok(wiring::comparing(self.config)?)
    }

    fn reindexing(&self, _: Option<&Path>) -> Result<Reindexing, CliError> {
        Ok(wiring::reindexing(self.config)?)
    }

    fn answers(&self) -> Option<Box<dyn BufRead>> {
        self.answers.map(|answers| Box::new(Cursor::new(answers)) as _)
    }
}

/// Runs a command as in a pipe: how it ended, what it told, and what it complained about.
pub fn say<'a>(config: &Config, args: impl IntoIterator<Item = &'a str>) -> (Exit, String, String) {
    answer(config, None, args)
}

/// As [`say`], with what a person answers to its questions; nobody is there where that is `None`.
pub fn answer<'a>(
    config: &Config,
    answers: Option<&'static str>,
    args: impl IntoIterator<Item = &'a str>,
) -> (Exit, String, String) {
    let (mut out, mut err) = (vec![], vec![]);
    let args = ["feedbackd"].into_iter().chain(args).map(Into::into);
    let exit = invoke(args, &Person { config, answers }, &mut Output::new(&mut out, &mut err, None));
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}
