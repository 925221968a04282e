//! What a history would teach, in the terminal and as a file: `demands --from`, and imports with `--dry-run`.

use super::demands_text;
use super::exit::{CliError, Exit};
use super::files;
use super::model::{self, ModelArgs};
use super::output::Output;
use super::page::paragraph;
use crate::app::forges::history::Tally;
use crate::app::reports::demands::{DemandFilter, Demands, Rehearsal, RehearsalError, RehearsalOutcome, left_out_of};
use crate::config::Config;
use crate::text::prose::count;
use crate::web::html::demands_file;
use crate::wiring::{self, WiringError};
use serde::Serialize;
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

/// What a dry run found, for the answer of an import; empty if it was none.
#[derive(Debug, Default, Serialize)]
pub(super) struct Findings {
    /// What would be learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    demands: Option<Demands>,
    /// Notes on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl Findings {
    /// Ends a dry run of a repository's history, and writes its page if one is wanted. `known_until` is up to when an
    /// earlier import read it.
    pub fn of(
        run: DryRun,
        (repository, tally): (&str, &Tally),
        known_until: Option<&str>,
        page: Option<&Path>,
        config: &Config,
        out: &mut Output<'_>,
    ) -> Result<Findings, CliError> {
        let found = run.finish(tally, &DemandFilter::default(), config, out)?;
        let notes = notes(&found, known_until);
        if let Some(path) = page {
            write(path, &found.demands, repository, &notes)?;
        }
        Ok(Findings { demands: Some(found.demands), notes })
    }

    /// Renders them in lines of this width.
    pub fn told(&self, width: usize) -> String {
        let Some(found) = &self.demands else { return String::new() };
        let notes: String = self.notes.iter().map(|note| paragraph(note, width, 0)).collect();
        format!("\n{notes}\n{}", demands_text::text(found, false, width))
    }

    /// Reports whether there are any.
    pub fn are_none(&self) -> bool {
        self.demands.is_none()
    }
}

/// Returns notes on a dry run in addition to its findings.
fn notes(rehearsed: &RehearsalOutcome, known_until: Option<&str>) -> Vec<String> {
    let mut notes = vec![format!("A dry run: nothing was written. {NOT_THE_STORE}")];
    if let Some(until) = known_until {
        notes.push(format!("An earlier import read all changes until {until} UTC; they were not read again."));
    }
    notes.extend(rejected(rehearsed));
    notes
}

/// Returns a note on decisions that were rejected, if any were.
pub(super) fn rejected(rehearsed: &RehearsalOutcome) -> Option<String> {
    let rejected = rehearsed.rejected;
    (rejected > 0).then(|| format!("{} could not be understood.", count(rejected, "decision")))
}

fn failed(error: RehearsalError) -> CliError {
    match error {
        RehearsalError::Pipeline(error) => WiringError::from(error).into(),
        RehearsalError::Query(error) => error.into(),
    }
}
