//! `import clone`: reviews recorded in a local clone, without network access.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::feedback::since;
use super::import_summary;
use super::output::Output;
use super::page;
use crate::app::forges::history::{CloneScope, CloneTally, CloneWatcher, ClonedError, Source, SourceTally};
use crate::wiring;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
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
}

#[derive(Debug, Serialize)]
struct Summary<'a> {
    dry_run: bool,
    forge: &'a str,
    repository: &'a str,
    #[serde(flatten)]
    tally: &'a CloneTally,
    /// The command that fetches notes, if they are wanted and missing.
    #[serde(skip)]
    fetch: Option<String>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    if args.since.zip(args.until).is_some_and(|(since, until)| until <= since) {
        return Err(CliError::new(Exit::Usage, "--until is before --since", "give a later date"));
    }
    let cloned = wiring::cloned(&context.config()?, &args.forge, &args.path, args.repository.as_deref())?;
    let sources: BTreeSet<Source> = match args.from.as_slice() {
        [] => Source::iter().collect(),
        named => named.iter().filter_map(|name| name.parse().ok()).collect(),
    };
    let wanted = CloneScope { since: args.since, until: args.until, sources };
    let (bar, mut tally) = (Bar::new(), CloneTally::default());
    let done = match args.dry_run {
        true => cloned.look(&wanted, &bar, &mut tally),
        false => cloned.import(&wanted, &bar, &mut tally),
    };
    bar.0.finish_and_clear();
    let notes = [Source::Changes, Source::Votes, Source::Discussions];
    let lacks = |source: &Source| wanted.sources.contains(source) && !tally.sources.contains_key(source.name());
    let summary = Summary {
        dry_run: args.dry_run,
        forge: &args.forge,
        repository: &cloned.repository,
        tally: &tally,
        fetch: notes.iter().all(lacks).then(|| fetch(&args.path)),
    };
    match done {
        Err(error) => Err(failed(error, &tally)),
        Ok(()) if tally.is_empty() => Err(nothing(&wanted, &args.path)),
        Ok(()) => out.answer(&summary, |_| describe(&summary)).map(|()| Exit::Ok),
    }
}

/// Progress display on a terminal.
struct Bar(ProgressBar);

/// Update interval of the bar.
const STEP: u64 = 200;

impl Bar {
    fn new() -> Bar {
        let bar = ProgressBar::new_spinner();
        if !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        Bar(bar)
    }
}

impl CloneWatcher for Bar {
    fn looked(&self, source: Source, at: u64, all: Option<u64>, tally: &CloneTally) {
        if !at.is_multiple_of(STEP) && Some(at) != all {
            return;
        }
        let of = all.map_or_else(String::new, |all| format!(" of {all}"));
        self.0.set_message(format!("{}: {at}{of} checked, {} reviews", source.name(), tally.all.reviews));
        self.0.tick();
    }
}

/// Reports why it ended early and how far it got.
fn failed(error: ClonedError, tally: &CloneTally) -> CliError {
    match error {
        ClonedError::Clone(error) => error.into(),
        ClonedError::Bus(error) => {
            let handed = tally.all.handed_over;
            let message =
                if handed > 0 { format!("{error}; {handed} reviews were submitted") } else { error.to_string() };
            CliError::new(
                Exit::Unavailable,
                message,
                "check Redis with `feedbackd doctor`; run it again, nothing is counted twice",
            )
        }
    }
}

/// Reports that the clone has nothing of what was requested.
fn nothing(wanted: &CloneScope, path: &Path) -> CliError {
    let named: Vec<&str> = wanted.sources.iter().map(|source| source.name()).collect();
    let message = format!("this clone contains no reviews that can be read (looked for: {})", named.join(", "));
    let hint = format!(
        "a plain clone has only branches; {} fetches the notes of Gerrit and git-appraise, if the server has any",
        fetch(path)
    );
    CliError::new(Exit::Failure, message, hint)
}

/// Returns the command that fetches everything readable.
fn fetch(path: &Path) -> String {
    let shown = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let shown = if shown.chars().all(plain) { shown } else { format!("'{}'", shown.replace('\'', r"'\''")) };
    format!("`git -C {shown} fetch origin '+refs/changes/*:refs/changes/*' '+refs/notes/*:refs/notes/*'`")
}

fn describe(summary: &Summary<'_>) -> String {
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
