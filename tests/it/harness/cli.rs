//! The command line in this process, with a test's configuration.

use feedbackd::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use feedbackd::cli::{CliError, Exit, Opener, Output, invoke};
use feedbackd::config::Config;
use feedbackd::wiring;
use std::io::{BufRead, Cursor};
use std::path::Path;

/// A person with a configuration, at a terminal or not.
struct Person<'a> {
    config: &'a Config,
    answers: Option<&'static str>,
}

impl Opener for Person<'_> {
    fn config(&self, _: Option<&Path>) -> Result<Config, CliError> {
        Ok(self.config.clone())
    }

    fn reading(&self, _: Option<&Path>) -> Result<ReadAccess, CliError> {
        Ok(wiring::reading(self.config)?)
    }

    fn comparing(&self, _: Option<&Path>) -> Result<CompareAccess, CliError> {
        Ok(wiring::comparing(self.config)?)
    }

    fn reindexing(&self, _: Option<&Path>) -> Result<ReindexAccess, CliError> {
        Ok(wiring::reindexing(self.config)?)
    }

    fn answers(&self) -> Option<Box<dyn BufRead>> {
        self.answers.map(|answers| Box::new(Cursor::new(answers)) as _)
    }
}

/// Runs a command as in a pipe; returns the exit, standard output and standard error.
pub fn say<'a>(config: &Config, args: impl IntoIterator<Item = &'a str>) -> (Exit, String, String) {
    answer(config, None, args)
}

/// Does the same as [`say`], with a person's answers to its questions; `None` if no person is there.
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
