//! `rules offer`: one immediate round of pull requests with the rules in force.

use crate::app::forges::history::{HistoryError, Tally, Watcher};
use crate::app::forges::rule_pull_requests::{FileChange, PullRequestOutcome, Round, TargetFiles};
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::history_progress::advice;
use crate::cli::output::Output;
use crate::cli::page::count;
use crate::wiring;
use similar::TextDiff;
use std::fmt::Write as _;
use std::time::Duration;

/// The targets.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only the targets of this repository, OWNER/NAME; otherwise all of [[forges.targets]]
    #[arg(value_name = "REPOSITORY")]
    repository: Option<String>,
    /// Only those of this agent
    #[arg(long)]
    agent: Option<String>,
    /// Change nothing on the forge: print title, text and changes
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    let is_meant = |target: &TargetFiles| {
        let is_repository = args.repository.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(&target.repository));
        is_repository && args.agent.as_ref().is_none_or(|agent| *agent == target.agent)
    };
    let mut targets = wiring::offerings(&config)?;
    targets.retain(is_meant);
    if targets.is_empty() {
        let message = match config.forges.targets.is_empty() {
            true => "the configuration names no repository for pull requests",
            false => "no such target is configured",
        };
        return Err(CliError::new(Exit::Usage, message, "check [[forges.targets]]; docs/forges.md has an example"));
    }
    let reading = context.reading(out)?;
    let (mut rounds, mut failed) = (Vec::new(), None);
    for target in &targets {
        let offer = wiring::offer_of(&config, &reading.queries(), &target.agent)?;
        match target.round(&offer, &RateLimitWait, !args.dry_run) {
            Ok(round) => rounds.push(round),
            // Continue with the others.
            Err(error) => {
                out.notice(&format!("{} ({}): {error}", target.repository, target.forge));
                failed = failed.or(Some(error));
            }
        }
    }
    out.answer(&rounds, |_| rounds.iter().map(|round| describe(round, args.dry_run)).collect::<Vec<_>>().join("\n"))?;
    failed.map_or(Ok(Exit::Ok), |error| Err(refused(&error)))
}

/// Waits as long as a forge requests.
struct RateLimitWait;

impl Watcher for RateLimitWait {
    fn listed(&self, _: usize) {}

    fn read(&self, _: &Tally) {}

    fn wait(&self, time: Duration, _: &str) -> bool {
        std::thread::sleep(time);
        true
    }
}

fn refused(error: &HistoryError) -> CliError {
    let exit = match error {
        HistoryError::Failing(_) | HistoryError::Status(_) | HistoryError::Limited(_) => Exit::Unavailable,
        _ => Exit::Failure,
    };
    CliError::new(exit, error.to_string(), advice(error))
}

fn describe(round: &Round, dry_run: bool) -> String {
    let done = match (round.outcome, dry_run) {
        (PullRequestOutcome::Opened, false) => "a pull request was opened",
        (PullRequestOutcome::Opened, true) => "a pull request would be opened",
        (PullRequestOutcome::Renewed, false) => "the pull request was updated",
        (PullRequestOutcome::Renewed, true) => "the pull request would be updated",
        (PullRequestOutcome::Closed, false) => "no rules are left: the pull request and its branch were closed",
        (PullRequestOutcome::Closed, true) => "no rules are left: the pull request and its branch would be closed",
        (PullRequestOutcome::Unchanged, _) => "up to date",
        (PullRequestOutcome::LeftAlone | PullRequestOutcome::Failed, _) => "left alone",
    };
    let requests = count(round.requests, "request");
    let mut text = format!("{} ({}), {}: {done}; {requests}\n", round.repository, round.forge, round.agent);
    if let Some(page) = round.page.as_deref().filter(|page| !page.is_empty()) {
        let _ = writeln!(text, "  {page}");
    }
    for why in &round.left_alone {
        let _ = writeln!(text, "  {why}");
    }
    if dry_run && matches!(round.outcome, PullRequestOutcome::Opened | PullRequestOutcome::Renewed) {
        let _ = write!(text, "\n{}\n\n{}", round.title, round.body);
        for file in &round.files {
            let _ = write!(text, "\n{}", diff(file));
        }
    }
    text.trim_end().to_owned()
}

fn diff(file: &FileChange) -> String {
    let (before, after) = (format!("a/{}", file.path), format!("b/{}", file.path));
    TextDiff::from_lines(&file.before, &file.after).unified_diff().header(&before, &after).to_string()
}
