//! `init`: creates the store.

use super::comment_source::CommentSource;
use super::exit::{CliError, Exit};
use super::feedback::since;
use super::model::ModelArgs;
use super::output::Output;
use super::page::count;
use super::source_lesson::{self, Keep, Wanted};
use crate::app::forges::history::Tally;
use crate::app::reports::demands::{DemandFilter, MOST};
use crate::config::Config;
use crate::wiring::{self, InitOutcome};
use jiff::Timestamp;
use serde::Serialize;

/// The options of `init`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Let members of the store's group push to it. No effect if the store exists already
    #[arg(long)]
    shared: bool,
    /// Copy the store from the Git host in the section remote of the configuration, and fail if it has none there.
    /// Without this option, a new store is created in that case
    #[arg(long, conflicts_with = "from")]
    from_remote: bool,
    /// Also read the reviews of this repository into the store, and propose rules from them: github:OWNER/NAME,
    /// gitlab:GROUP/NAME, gitea:URL, forgejo:URL, gerrit:URL, clone:PATH, or the repository's address
    #[arg(long, value_name = "SOURCE")]
    from: Option<CommentSource>,
    /// With --from: only from this day or time on, or this long before now [default: 90d]
    #[arg(long, value_name = "DATE", value_parser = since, requires = "from")]
    since: Option<Timestamp>,
    /// With --from: whose work it is, as named by its rules [default: coding-agent]
    #[arg(long, requires = "from")]
    agent: Option<String>,
    #[command(flatten)]
    model: ModelArgs,
}

#[derive(Serialize)]
struct InitAnswer {
    store: String,
    created: bool,
    /// Whether it was copied from the Git host.
    copied: bool,
    commit: String,
    /// What was read into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<ReadAnswer>,
}

#[derive(Serialize)]
struct ReadAnswer {
    repository: String,
    since: Option<Timestamp>,
    #[serde(flatten)]
    tally: Tally,
    patterns: usize,
    /// Rules proposed from it.
    proposals: usize,
    #[serde(skip)]
    told: String,
}

/// Runs the command.
pub fn run(args: &Args, config: &Config, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let store = config.store.path.display().to_string();
    let outcome = if args.from_remote {
        wiring::copy_store(config, args.shared)?
    } else {
        wiring::init_store(config, args.shared)?
    };
    let (created, copied) = (!matches!(outcome, InitOutcome::Existing(_)), matches!(outcome, InitOutcome::Cloned(_)));
    let (InitOutcome::Created(commit) | InitOutcome::Existing(commit) | InitOutcome::Cloned(commit)) = outcome;
    let read = args.from.as_ref().map(|source| read(source, args, config, out)).transpose()?;
    let made = InitAnswer { store, created, copied, commit: commit.to_string(), read };
    out.answer(&made, |_| {
        let told = made.read.as_ref().map_or("", |read| read.told.as_str());
        if made.copied && made.read.is_none() {
            return format!(
                "Copied the store from {} to {}.\nNext: start the daemon: feedbackd serve",
                config.remote.url, made.store
            );
        }
        if made.created || made.read.is_some() {
            let done = if made.created { "Created" } else { "Read into" };
            let then = if made.read.is_some() {
                "see what is proposed: feedbackd inbox"
            } else {
                "start the daemon: feedbackd serve"
            };
            format!(
                "{done} the store {}.\n{told}\nNext: add the people who may approve rules to its roster,\n  feedbackd \
                 roster add ana=\"Ana Example\" ben=\"Ben Example\"\nthen {then}",
                made.store,
            )
        } else {
            format!("There is already a store at {}; nothing was changed.", made.store)
        }
    })?;
    Ok(Exit::Ok)
}

/// Reads a source into the store.
fn read(source: &CommentSource, args: &Args, config: &Config, out: &mut Output<'_>) -> Result<ReadAnswer, CliError> {
    let (since, agent, filter) =
        (args.since, args.agent.as_deref(), DemandFilter { limit: MOST, ..DemandFilter::default() });
    let wanted = Wanted { source, since, until: None, agent, model: &args.model, filter };
    let lesson = source_lesson::read(&wanted, config, Keep::Store, out)?;
    let demands = &lesson.outcome.demands;
    let patterns = demands.patterns.len();
    let proposals = demands.patterns.iter().filter(|one| one.rule.is_some()).count();
    let told = format!(
        "\n{}  {} found: feedbackd demands\n  {} proposed: feedbackd inbox\n",
        lesson.told(out.page_width()),
        count(patterns as u64, "pattern"),
        count(proposals as u64, "rule"),
    );
    let (repository, since, tally) = (lesson.repository, lesson.since, lesson.tally);
    Ok(ReadAnswer { repository, since, tally, patterns, proposals, told })
}
