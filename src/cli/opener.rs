//! What opens store, index and understanding for the commands, as the configuration says.
//!
//! A trait, so that tests run commands on a store of their own.

use super::exit::CliError;
use super::submit::{self, Submitted};
use crate::app::comments::analyzer::Understanding;
use crate::app::comments::evaluator::Remembered;
use crate::app::queries::reader::{Comparing, Reading, Reindexing};
use crate::app::reports::effectiveness::MeasurePolicy;
use crate::config::{self, Config};
use crate::domain::reporting::report::Limits;
use crate::text::language::catalogue::Catalogue;
use crate::wiring;
use jiff::Timestamp;
use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::sync::Arc;

/// Opens what the commands work on, as the configuration says. Errors carry their exit code and a hint.
pub trait Opener {
    /// The configuration in force.
    fn config(&self, config: Option<&Path>) -> Result<Config, CliError>;

    /// Store and index, to read lists.
    fn reading(&self, config: Option<&Path>) -> Result<Reading, CliError>;

    /// Store, index and understanding, to compare remarks.
    fn comparing(&self, config: Option<&Path>) -> Result<Comparing, CliError>;

    /// How rules are measured, and the time.
    fn measuring(&self, config: Option<&Path>) -> Result<(MeasurePolicy, Timestamp), CliError> {
        Ok((wiring::measuring(&self.config(config)?), wiring::now()))
    }

    /// Store, index and understanding, to make the index anew or compare it.
    fn reindexing(&self, config: Option<&Path>) -> Result<Reindexing, CliError>;

    /// The same to make the index alone, with a place for what an embedder is paid for.
    fn making_index(&self, config: Option<&Path>) -> Result<Reindexing, CliError> {
        self.reindexing(config)
    }

    /// Submits what a person or a program says about what was learned.
    fn submit(&self, config: Option<&Path>, payload: &serde_json::Value) -> Result<Submitted, CliError> {
        submit::submit(&self.config(config)?, payload)
    }

    /// A memory of remarks that remembers nothing yet, as the configuration says.
    fn remembered(&self, config: Option<&Path>, understanding: &Understanding) -> Result<Remembered, CliError> {
        Ok(wiring::remembered(&self.config(config)?, understanding)?)
    }

    /// The catalogue files of the store, by their paths; none where there is no store.
    fn catalogue_files(&self, config: Option<&Path>) -> Result<Vec<(String, String)>, CliError> {
        Ok(wiring::catalogue_files(&self.config(config)?)?)
    }

    /// What texts demand, by a catalogue of the caller's.
    fn understanding(&self, config: Option<&Path>, catalogue: Catalogue) -> Result<Arc<Understanding>, CliError> {
        Ok(wiring::understanding_of(&self.config(config)?, catalogue)?)
    }

    /// Where a person's answers come from; `None` where nobody is there to be asked.
    fn answers(&self) -> Option<Box<dyn BufRead>> {
        let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
        (stdin.is_terminal() && stdout.is_terminal()).then(|| Box::new(std::io::BufReader::new(stdin)) as _)
    }

    /// What a report counts as short and long.
    fn limits(&self, config: Option<&Path>) -> Result<Limits, CliError> {
        Ok(wiring::report_limits(&self.config(config)?))
    }
}

/// Opens by configuration: the given file or the usual one, over it the environment.
pub struct Configured;

/// # Errors
/// Everything that is wrong with the configuration, at once.
fn load(path: Option<&Path>) -> Result<Config, CliError> {
    Ok(config::load(path, &config::process_environment())?)
}

impl Opener for Configured {
    fn config(&self, config: Option<&Path>) -> Result<Config, CliError> {
        load(config)
    }

    fn reading(&self, config: Option<&Path>) -> Result<Reading, CliError> {
        Ok(wiring::reading(&load(config)?)?)
    }

    fn comparing(&self, config: Option<&Path>) -> Result<Comparing, CliError> {
        Ok(wiring::comparing(&load(config)?)?)
    }

    fn reindexing(&self, config: Option<&Path>) -> Result<Reindexing, CliError> {
        Ok(wiring::reindexing(&load(config)?)?)
    }

    fn making_index(&self, config: Option<&Path>) -> Result<Reindexing, CliError> {
        Ok(wiring::making_index(&load(config)?)?)
    }
}
