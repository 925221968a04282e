//! Reading a source's comments from beginning to end, and what they teach: for `demands --from` and `init --from`.

use super::clone_progress;
use super::comment_source::{CommentSource, Hosted};
use super::exit::CliError;
use super::feedback::ago;
use super::history_progress;
use super::import_summary;
use super::model::ModelArgs;
use super::output::Output;
use super::page::{count, paragraph};
use super::rehearsal::DryRun;
use crate::app::forges::history::{CloneScope, CloneTally, Source, Span, Tally};
use crate::app::reports::demands::{DemandFilter, RehearsalOutcome};
use crate::config::Config;
use crate::wiring;
use jiff::Timestamp;
use std::path::Path;
use strum::IntoEnumIterator;

/// How far back a source is read if nothing is said, in days.
const DAYS: i64 = 90;

/// The work of a source counts as that of this agent if none is named.
const AGENT: &str = "coding-agent";

/// What to read.
pub struct Wanted<'a> {
    pub source: &'a CommentSource,
    /// If not given: the last 90 days of a forge, all of a clone.
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// The agent whose work it is.
    pub agent: Option<&'a str>,
    pub model: &'a ModelArgs,
    pub filter: DemandFilter,
}

/// What was read, and what it teaches.
pub struct Lesson {
    /// The repository, as its forge names it.
    pub repository: String,
    /// The beginning of what was read; `None` for all there is.
    pub since: Option<Timestamp>,
    pub tally: Tally,
    pub outcome: RehearsalOutcome,
}

/// Where the lesson is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Nowhere: nothing is written.
    Nothing,
    /// In the store.
    Store,
}

/// Reads everything of the source in the given time.
///
/// # Errors
/// If the source cannot be read, or the language model cannot be asked.
pub fn read(wanted: &Wanted<'_>, config: &Config, keep: Keep, out: &mut Output<'_>) -> Result<Lesson, CliError> {
    let config = wanted.source.configured(config, wanted.agent.unwrap_or(AGENT));
    let config = wanted.model.configured(&config)?;
    let rehearsal = match keep {
        Keep::Nothing => wiring::rehearsal(&config)?,
        Keep::Store => wiring::lesson(&config)?,
    };
    let mut run = DryRun::of(rehearsal, &config, wanted.model)?;
    let (repository, since, tally) = match wanted.source {
        CommentSource::Forge(hosted) => {
            if let Some(notice) = hosted.without_token(&config) {
                out.notice(&notice);
            }
            let since = wanted.since.map_or_else(|| ago(DAYS * 24), Ok).unwrap_or(Timestamp::MIN);
            let tally = read_forge(hosted, Span { since, until: wanted.until }, wanted, &config, &mut run)?;
            (hosted.repository.clone(), Some(since), tally)
        }
        CommentSource::Clone(path) => {
            let (repository, tally) = read_clone(path, wanted, &config, &mut run)?;
            (repository, wanted.since, tally)
        }
    };
    let outcome = run.finish(&tally, &wanted.filter, &config, out)?;
    Ok(Lesson { repository, since, tally, outcome })
}

fn read_forge(
    hosted: &Hosted,
    span: Span,
    wanted: &Wanted<'_>,
    config: &Config,
    run: &mut DryRun,
) -> Result<Tally, CliError> {
    let history = wiring::whole_history(config, &wanted.source.forge(), &hosted.repository)?;
    let (bar, mut tally) = (history_progress::Bar::new(), Tally::default());
    let done = history.look(span, &bar, &mut tally, &mut |decision| run.hear(decision));
    bar.0.finish_and_clear();
    run.failure().map_or(Ok(()), Err)?;
    done.map_err(|error| {
        let hint = hosted.advice(&error);
        let failed = history_progress::failed(error, &tally, true);
        CliError { hint: hint.unwrap_or(failed.hint), ..failed }
    })?;
    Ok(tally)
}

/// Reading a clone costs no requests, so all of it is read unless a time is given.
fn read_clone(
    path: &Path,
    wanted: &Wanted<'_>,
    config: &Config,
    run: &mut DryRun,
) -> Result<(String, Tally), CliError> {
    let clone = wiring::cloned(config, &wanted.source.forge(), path, None)?;
    let scope = CloneScope { since: wanted.since, until: wanted.until, sources: Source::iter().collect() };
    let (bar, mut tally) = (clone_progress::Bar::new(), CloneTally::default());
    let done = clone.look(&scope, &bar, &mut tally, &mut |decision| run.hear(decision));
    bar.0.finish_and_clear();
    run.failure().map_or(Ok(()), Err)?;
    done.map_err(|error| clone_progress::failed(error, &tally))?;
    if tally.is_empty() {
        return Err(clone_progress::nothing(&scope, path));
    }
    Ok((clone.repository, tally.all))
}

impl Lesson {
    /// Describes in a few lines what was read.
    pub fn told(&self, width: usize) -> String {
        let tally = &self.tally;
        let work = if tally.pull_requests > 0 {
            format!("{}, {}; ", count(tally.pull_requests, "pull request"), count(tally.requests, "request"))
        } else {
            String::new()
        };
        let read = format!(
            "{}: {work}{} ({} approve, {} ask for changes), {} on lines",
            self.repository,
            count(tally.reviews, "review"),
            tally.approved,
            tally.rejected,
            count(tally.remarks, "comment"),
        );
        let mut text = paragraph(&read, width, 0);
        text += &import_summary::lines(tally, true);
        if tally.gone > 0 {
            text += &format!("  {} were gone\n", count(tally.gone, "pull request"));
        }
        text
    }
}
