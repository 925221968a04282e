//! Opens store, index and understanding for the commands, according to the configuration.
//!
//! A trait, so that tests can run commands on their own store.

use super::exit::CliError;
use super::submit::{self, SubmissionOutcome};
use crate::app::comments::analyzer::Analyzer;
use crate::app::comments::evaluator::DetachedComments;
use crate::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use crate::app::reports::effectiveness::MeasurePolicy;
use crate::config::{self, Config};
use crate::domain::reporting::report::Limits;
use crate::text::language::catalogue::Catalogue;
use crate::wiring;
use jiff::Timestamp;
use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::sync::Arc;

/// Opens what the commands work on, according to the configuration. Errors carry an exit code and a hint.
pub trait Opener {
    /// Returns the configuration in force.
    fn config(&self, config: Option<&Path>) -> Result<Config, CliError>;

    /// Opens store and index, for reading lists.
    fn reading(&self, config: Option<&Path>) -> Result<ReadAccess, CliError>;

    /// Opens store, index and understanding, for comparing comments.
    fn comparing(&self, config: Option<&Path>) -> Result<CompareAccess, CliError>;

    /// Returns the policy for measuring rules, and the current time.
    fn measuring(&self, config: Option<&Path>) -> Result<(MeasurePolicy, Timestamp), CliError> {
        Ok((wiring::measuring(&self.config(config)?), wiring::now()))
    }

    /// Opens store, index and understanding, for rebuilding or comparing the index.
    fn reindexing(&self, config: Option<&Path>) -> Result<ReindexAccess, CliError>;

    /// Like `reindexing`, for rebuilding the index alone, with a cache for paid embeddings.
    fn making_index(&self, config: Option<&Path>) -> Result<ReindexAccess, CliError> {
        self.reindexing(config)
    }

    /// Submits what a person or a program states about what was learned.
    fn submit(&self, config: Option<&Path>, payload: &serde_json::Value) -> Result<SubmissionOutcome, CliError> {
        submit::submit(&self.config(config)?, payload)
    }

    /// Creates an empty working set of comments, according to the configuration.
    fn remembered(&self, config: Option<&Path>, understanding: &Analyzer) -> Result<DetachedComments, CliError> {
        Ok(wiring::remembered(&self.config(config)?, understanding)?)
    }

    /// Returns the store's catalogue files by path; empty if there is no store.
    fn catalogue_files(&self, config: Option<&Path>) -> Result<Vec<(String, String)>, CliError> {
        Ok(wiring::catalogue_files(&self.config(config)?)?)
    }

    /// Builds the understanding of texts with the caller's catalogue.
    fn understanding(&self, config: Option<&Path>, catalogue: Catalogue) -> Result<Arc<Analyzer>, CliError> {
        Ok(wiring::understanding_of(&self.config(config)?, catalogue)?)
    }

    /// Returns the source of a person's answers; `None` if no person can be asked.
    fn answers(&self) -> Option<Box<dyn BufRead>> {
        let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
        (stdin.is_terminal() && stdout.is_terminal()).then(|| Box::new(std::io::BufReader::new(stdin)) as _)
    }

    /// Returns the report's thresholds for short and long reviews.
    fn limits(&self, config: Option<&Path>) -> Result<Limits, CliError> {
        Ok(wiring::report_limits(&self.config(config)?))
    }
}

/// Opens according to the configuration: the given file or the default one, overridden by the environment.
pub struct Configured;

/// # Errors
/// All problems with the configuration, at once.
fn load(path: Option<&Path>) -> Result<Config, CliError> {
    Ok(config::load(path, &config::process_environment())?)
}

impl Opener for Configured {
    fn config(&self, config: Option<&Path>) -> Result<Config, CliError> {
        load(config)
    }

    fn reading(&self, config: Option<&Path>) -> Result<ReadAccess, CliError> {
        Ok(wiring::reading(&load(config)?)?)
    }

    fn comparing(&self, config: Option<&Path>) -> Result<CompareAccess, CliError> {
        Ok(wiring::comparing(&load(config)?)?)
    }

    fn reindexing(&self, config: Option<&Path>) -> Result<ReindexAccess, CliError> {
        Ok(wiring::reindexing(&load(config)?)?)
    }

    fn making_index(&self, config: Option<&Path>) -> Result<ReindexAccess, CliError> {
        Ok(wiring::making_index(&load(config)?)?)
    }
}
