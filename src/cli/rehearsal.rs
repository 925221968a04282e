//! What a history would teach, in the terminal and as a file: `demands --from`, and imports with `--dry-run`.

use super::exit::{CliError, Exit};
use super::files;
use super::model::{self, ModelArgs};
use super::output::Output;
use crate::app::forges::history::Tally;
use crate::app::reports::demands::{DemandFilter, Demands, Rehearsal, RehearsalError, RehearsalOutcome, left_out_of};
use crate::config::Config;
use crate::text::prose::count;
use crate::web::html::demands_file;
use crate::wiring::{self, WiringError};
use serde_json::Value;
use std::path::Path;

/// What the dry run ignores.
pub(super) const NOT_THE_STORE: &str =
    "This is what these reviews alone would teach; the store's existing records were not considered.";

/// The decisions of a dry run, in a pipeline that writes nothing.
pub(super) struct DryRun {
    rehearsal: Rehearsal,
    /// Whether a language model is asked.
    asks: bool,
    failed: Option<RehearsalError>,
}

impl DryRun {
    /// Creates an empty rehearsal; `model` controls whether a language model is asked.
    pub fn new(config: &Config, model: &ModelArgs) -> Result<DryRun, CliError> {
        DryRun::of(wiring::rehearsal(config)?, config, model)
    }

    /// Like [`DryRun::new`], with a rehearsal that may write.
    pub fn of(mut rehearsal: Rehearsal, config: &Config, model: &ModelArgs) -> Result<DryRun, CliError> {
        let asks = model.advise(rehearsal.settle().map_err(failed)?, config)?;
        Ok(DryRun { rehearsal, asks, failed: None })
    }

    /// Processes a decision; returns false once further ones are useless.
    pub fn hear(&mut self, decision: &Value) -> bool {
        self.failed = self.rehearsal.hear(decision).err();
        self.failed.is_none()
    }

    /// Returns why processing ended early.
    pub fn failure(&mut self) -> Option<CliError> {
        self.failed.take().map(failed)
    }

    /// Returns what would be learned.
    pub fn finish(
        mut self,
        tally: &Tally,
        filter: &DemandFilter,
        config: &Config,
        out: &mut Output<'_>,
    ) -> Result<RehearsalOutcome, CliError> {
        if self.asks {
            model::follow(self.rehearsal.settle().map_err(failed)?, config, out)?;
        }
        let mut found = self.rehearsal.finish(filter).map_err(failed)?;
        found.demands.left_out = left_out_of(tally.skipped.iter().map(|(reason, count)| (*reason, *count)));
        Ok(found)
    }
}

/// Writes what would be learned as a self-contained page.
pub(super) fn write(path: &Path, demands: &Demands, repository: &str, notes: &[String]) -> Result<(), CliError> {
    let title = format!("What reviewers of {repository} ask for");
    let html = demands_file(demands, &title, notes)
        .map_err(|error| CliError::new(Exit::Failure, format!("the page cannot be built: {error}"), ""))?;
    files::write(path, &html)
}

/// Returns notes on a dry run in addition to its findings.
pub(super) fn notes(rehearsed: &RehearsalOutcome, known_until: Option<&str>) -> Vec<String> {
    let mut notes = vec![format!("A dry run: nothing was written. {NOT_THE_STORE}")];
    if let Some(until) = known_until {
        notes.push(format!("An earlier import read all changes until {until} UTC; they were not read again."));
    }
    if rehearsed.rejected > 0 {
        notes.push(format!("{} could not be understood.", count(rehearsed.rejected, "decision")));
    }
    notes
}

fn failed(error: RehearsalError) -> CliError {
    match error {
        RehearsalError::Pipeline(error) => WiringError::from(error).into(),
        RehearsalError::Query(error) => error.into(),
    }
}
