//! Inputs of a command besides its arguments: the named configuration, and what opens things with it.

use super::exit::CliError;
use super::opener::Opener;
use super::output::Output;
use super::submit::SubmissionOutcome;
use crate::app::comments::analyzer::Analyzer;
use crate::app::comments::evaluator::DetachedComments;
use crate::app::queries::reader::{CompareAccess, ReadAccess, ReindexAccess};
use crate::app::reports::effectiveness::MeasurePolicy;
use crate::config::Config;
use crate::domain::reporting::report::Limits;
use crate::text::language::catalogue::Catalogue;
use jiff::Timestamp;
use serde_json::Value;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

/// An [`Opener`] with its configuration file.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub opener: &'a dyn Opener,
    /// `--config`; the default file if none is named.
    pub file: Option<&'a Path>,
}

impl Context<'_> {
    pub fn config(&self) -> Result<Config, CliError> {
        self.opener.config(self.file)
    }

    /// Opens store and index for lists. Reports if the index was not used unchanged.
    pub fn reading(&self, out: &mut Output<'_>) -> Result<ReadAccess, CliError> {
        let reading = self.opener.reading(self.file)?;
        tell(&reading, out);
        Ok(reading)
    }

    /// Like [`Context::reading`], with the understanding; loading it takes a moment.
    pub fn comparing(&self, out: &mut Output<'_>) -> Result<CompareAccess, CliError> {
        let comparing = self.comparing_silently()?;
        tell(comparing.reading(), out);
        Ok(comparing)
    }

    /// Like [`Context::comparing`], for callers that already reported the index's state or need not.
    pub fn comparing_silently(&self) -> Result<CompareAccess, CliError> {
        self.opener.comparing(self.file)
    }

    pub fn reindexing(&self, makes: bool) -> Result<ReindexAccess, CliError> {
        if makes { self.opener.making_index(self.file) } else { self.opener.reindexing(self.file) }
    }

    pub fn measuring(&self) -> Result<(MeasurePolicy, Timestamp), CliError> {
        self.opener.measuring(self.file)
    }

    pub fn submit(&self, payload: &Value) -> Result<SubmissionOutcome, CliError> {
        self.opener.submit(self.file, payload)
    }

    pub fn remembered(&self, understanding: &Analyzer) -> Result<DetachedComments, CliError> {
        self.opener.remembered(self.file, understanding)
    }

    pub fn catalogue_files(&self) -> Result<Vec<(String, String)>, CliError> {
        self.opener.catalogue_files(self.file)
    }

    pub fn understanding(&self, catalogue: Catalogue) -> Result<Arc<Analyzer>, CliError> {
        self.opener.understanding(self.file, catalogue)
    }

    pub fn answers(&self) -> Option<Box<dyn BufRead>> {
        self.opener.answers()
    }

    pub fn limits(&self) -> Result<Limits, CliError> {
        self.opener.limits(self.file)
    }
}

fn tell(reading: &ReadAccess, out: &mut Output<'_>) {
    if let Some(notice) = reading.notice() {
        out.notice(notice);
    }
}
