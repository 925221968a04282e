//! `import clone`: reviews recorded in a local clone, without network access.

use super::clone_progress::{Bar, failed, fetch, nothing};
use super::context::Context;
use super::exit::{CliError, Exit};
use super::feedback::since;
use super::import_summary;
use super::model::ModelArgs;
use super::output::Output;
use super::page;
use super::rehearsal::{DryRun, Findings};
use crate::app::forges::history::{CloneScope, CloneTally, Source, SourceTally};
use crate::wiring;
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use strum::{IntoEnumIterator, VariantNames};

/// What to read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The clone: bare, a mirror, or a worktree folder
    path: PathBuf,
    /// The forge whose people, agents and gate apply, by its `name` in [[forges.connected]]
    #[arg(long, value_name = "NAME")]
    forge: String,
    /// The repository's name on the forge [default: from the clone's origin, or its folder]
    #[arg(long, value_name = "NAME", value_parser = repository)]
    repository: Option<String>,
    /// Reviews from this day or time on, e.g. 2026-03-01 [default: all]
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<Timestamp>,
    /// Reviews before this date or time
    #[arg(long, value_name = "DATE", value_parser = since)]
    until: Option<Timestamp>,
    /// Read only these [default: all of them]
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = clap::builder::PossibleValuesParser::new(Source::VARIANTS))]
    from: Vec<String>,
    /// Read and count, and report what would be learned: nothing is written, not even to Redis
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
    tally: &'a CloneTally,
    #[serde(flatten)]
    findings: Findings,
    /// The command that fetches notes, if they are wanted and missing.
    #[serde(skip)]
    fetch: Option<String>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    if args.since.zip(args.until).is_some_and(|(since, until)| until <= since) {
        return Err(CliError::new(Exit::Usage, "--until is before --since", "give a later date"));
    }
    let config = context.config()?;
    let config = args.model.configured(&config)?;
    let cloned = wiring::cloned(&config, &args.forge, &args.path, args.repository.as_deref())?;
    let sources: BTreeSet<Source> = match args.from.as_slice() {
        [] => Source::iter().collect(),
        named => named.iter().filter_map(|name| name.parse().ok()).collect(),
    };
    let wanted = CloneScope { since: args.since, until: args.until, sources };
    let (bar, mut tally) = (Bar::new(), CloneTally::default());
    let mut rehearsing = args.dry_run.then(|| DryRun::new(&config, &args.model)).transpose()?;
    let done = match &mut rehearsing {
        Some(rehearsing) => cloned.look(&wanted, &bar, &mut tally, &mut |decision| rehearsing.hear(decision)),
        None => cloned.import(&wanted, &bar, &mut tally),
    };
    bar.0.finish_and_clear();
    if let Some(error) = rehearsing.as_mut().and_then(DryRun::failure) {
        return Err(error);
    }
    done.map_err(|error| failed(error, &tally))?;
    if tally.is_empty() {
        return Err(nothing(&wanted, &args.path));
    }
    let read = (cloned.repository.as_str(), &tally.all);
    let findings =
        rehearsing.map(|run| Findings::of(run, read, None, args.page.as_deref(), &config, out)).transpose()?;
    let notes = [Source::Changes, Source::Votes, Source::Discussions];
    let lacks = |source: &Source| wanted.sources.contains(source) && !tally.sources.contains_key(source.name());
    let summary = Summary {
        dry_run: args.dry_run,
        forge: &args.forge,
        repository: &cloned.repository,
        tally: &tally,
        findings: findings.unwrap_or_default(),
        fetch: notes.iter().all(lacks).then(|| fetch(&args.path)),
    };
    out.answer(&summary, |o| describe(&summary, o.page_width())).map(|()| Exit::Ok)
}

fn describe(summary: &Summary<'_>, width: usize) -> String {
    let Summary { dry_run, tally, repository, .. } = summary;
    let all = &tally.all;
    let mut text = format!(
        "{}{repository}: {} ({} approve, {} ask for changes), {} on places\n",
        if *dry_run { "Dry run, nothing was written. " } else { "" },
        page::count(all.reviews, "review"),
        all.approved,
        all.rejected,
        page::count(all.remarks, "comment")
    );
    for source in Source::iter() {
        let Some(found) = tally.sources.get(source.name()) else { continue };
        text += &format!("  {:<12} {}\n", source.name(), told(source, found));
    }
    text += &import_summary::lines(all, *dry_run);
    if tally.is_shallow {
        text += "  the clone is shallow: earlier history is not read; `git fetch --unshallow` fetches it\n";
    }
    text += &summary.findings.told(width);
    if let Some(fetch) = &summary.fetch {
        text += &format!("  it has no notes of Gerrit or git-appraise; {fetch} fetches them, if the server has any\n");
    }
    text
}

/// Describes the result of a source.
fn told(source: Source, found: &SourceTally) -> String {
    let looked_at = match source {
        Source::Changes => "change",
        Source::Votes | Source::Discussions => "note",
        Source::Reverts | Source::Trailers => "commit",
    };
    let (looked_at, reviews) = (page::count(found.looked_at, looked_at), page::count(found.reviews, "review"));
    let mut text = format!("{looked_at}, {} found: {reviews}", found.found);
    if !found.left_out.is_empty() {
        text += &format!("; left out: {}", page::most(&found.left_out));
    }
    text
}

fn repository(text: &str) -> Result<String, String> {
    let fits = !text.is_empty() && text.len() <= 200 && !text.contains(|c: char| c.is_control() || c.is_whitespace());
    if fits { Ok(text.to_owned()) } else { Err("it must be the name on the forge, such as OWNER/NAME".to_owned()) }
}
