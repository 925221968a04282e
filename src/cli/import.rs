//! `import forge`: a repository's reviews from the time before, by the forge's API; and `import clone` by [`crate::cli::import_clone`].

use super::context::Context;
use super::exit::{CliError, Exit};
use super::feedback::since;
use super::history_progress::{Bar, failed};
use super::import_clone;
use super::import_summary;
use super::links::DemandsLink;
use super::model::ModelArgs;
use super::output::Output;
use super::page;
use super::rehearsal::{DryRun, Findings};
use crate::app::forges::history::{Span, Tally};
use crate::config::is_project;
use crate::wiring;
use jiff::Timestamp;
use serde::Serialize;
use std::path::PathBuf;

/// The sources of history.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Read a repository's reviews through the API of a connected forge; when run again, continues where it stopped
    ///
    /// Reads all pull requests that changed since the date, with their reviews and comments. Anything received by
    /// webhook is not imported again. A running daemon learns from it; without one it stays in Redis.
    Forge(Args),
    /// Read reviews from a local clone: Gerrit's and git-appraise's notes, reverts, trailers; no network is used
    ///
    /// A comment, a vote, a revert with a reason and a trailer such as Reviewed-by become decisions. Repeated runs
    /// import nothing twice. A running daemon learns from it; without one it stays in Redis.
    Clone(import_clone::Args),
}

/// What to read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The forge, by its `name` in [[forges.connected]]
    name: String,
    /// The repository: OWNER/NAME; on Gerrit, the project
    #[arg(value_parser = repository)]
    repository: String,
    /// Reviews from this date or time on, e.g. 2026-03-01
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Timestamp,
    /// Reviews before this date or time
    #[arg(long, value_name = "DATE", value_parser = since)]
    until: Option<Timestamp>,
    /// Show what would be learned, without writing anything, even to Redis; ignores the contents of the store
    #[arg(long)]
    dry_run: bool,
    /// With --dry-run: also write what would be learned as a self-contained HTML page
    #[arg(long, value_name = "FILE", requires = "dry_run")]
    page: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Debug, Serialize)]
struct Summary<'a> {
    dry_run: bool,
    forge: &'a str,
    repository: &'a str,
    #[serde(flatten)]
    tally: &'a Tally,
    #[serde(flatten)]
    findings: Findings,
    /// Where to view what was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<DemandsLink>,
}

/// Runs the command.
pub fn run(command: &Command, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match command {
        Command::Forge(args) => forge(args, context, out),
        Command::Clone(args) => import_clone::run(args, context, out),
    }
}

fn forge(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let until = args.until.map(|until| until.to_string());
    if args.until.is_some_and(|until| until <= args.since) {
        return Err(CliError::new(Exit::Usage, "--until is before --since", "give a later date"));
    }
    let config = context.config()?;
    let config = args.model.configured(&config)?;
    let history = wiring::history(&config, &args.name, &args.repository, until.as_deref())?;
    let span = Span { since: args.since, until: args.until };
    let (bar, mut tally) = (Bar::new(), Tally::default());
    let passes = history.reads_from(span.since).map_err(|error| failed(error, &Tally::default(), args.dry_run))?;
    let known_until = passes.map(page::when);
    let mut rehearsing = args.dry_run.then(|| DryRun::new(&config, &args.model)).transpose()?;
    let done = match &mut rehearsing {
        Some(rehearsing) => history.look(span, &bar, &mut tally, &mut |decision| rehearsing.hear(decision)),
        None => history.import(span, &bar, &mut tally),
    };
    bar.0.finish_and_clear();
    if let Some(error) = rehearsing.as_mut().and_then(DryRun::failure) {
        return Err(error);
    }
    done.map_err(|error| failed(error, &tally, args.dry_run))?;
    let read = (args.repository.as_str(), &tally);
    let findings = rehearsing
        .map(|run| Findings::of(run, read, known_until.as_deref(), args.page.as_deref(), &config, out))
        .transpose()?;
    let summary = Summary {
        dry_run: args.dry_run,
        forge: &args.name,
        repository: &args.repository,
        tally: &tally,
        findings: findings.unwrap_or_default(),
        shown: (!args.dry_run).then(|| DemandsLink::by(&config)),
    };
    out.answer(&summary, |o| describe(&summary, o.page_width()))?;
    Ok(Exit::Ok)
}

fn describe(summary: &Summary<'_>, width: usize) -> String {
    let Summary { dry_run, tally, .. } = summary;
    let mut text = format!(
        "{}{}, {}\n  {} ({} approve, {} ask for changes), {} on lines\n",
        if *dry_run { "Dry run, nothing was written. " } else { "" },
        page::count(tally.pull_requests, "pull request"),
        page::count(tally.requests, "request"),
        page::count(tally.reviews, "review"),
        tally.approved,
        tally.rejected,
        page::count(tally.remarks, "comment")
    );
    text += &import_summary::lines(tally, *dry_run);
    if !tally.skipped.is_empty() && summary.findings.are_none() {
        text += &format!("  left out: {}\n", page::most(&tally.skipped));
    }
    if tally.gone > 0 {
        text += &format!("  {} pull requests were gone\n", tally.gone);
    }
    text += &summary.findings.told(width);
    if let Some(shown) = &summary.shown {
        text += &shown.told(width);
    }
    text
}

fn repository(text: &str) -> Result<String, String> {
    // Which of the two the forge uses is known only from the configuration.
    match is_project(text) {
        true => Ok(text.to_owned()),
        false => Err("it must be OWNER/NAME".to_owned()),
    }
}
