//! The command line: one file per subcommand, thin over the service layer.
//!
//! A command asks the service layer one question and shows the answer, as text for people or, with `--json`, as one
//! JSON document. Nothing here opens a store or an index: that is the [`Opener`]'s work.

mod actions;
mod ambiguous;
mod catalogue;
mod clusters;
mod completions;
mod config;
mod demo;
mod detect;
mod doctor;
mod edge_cases;
mod eval;
mod exit;
mod explain;
mod feedback;
mod files;
mod init;
mod lineage;
mod man;
mod opener;
mod output;
mod page;
mod plots;
mod prompt;
mod proposals;
mod questions;
mod refine;
mod reindex;
mod replay;
mod report;
mod retract;
mod rule_page;
mod rules;
mod selftest;
mod serve;
mod sign;
mod status;
mod submit;
mod turns;
mod validate;

pub use exit::{CliError, Exit};
pub use output::Output;
pub use submit::Submitted;

use crate::app::effectiveness::MeasurePolicy;
use crate::app::evaluator::Remembered;
use crate::app::reading::{Reading, Reindexing};
use crate::app::understanding::Understanding;
use crate::config::Config;
use crate::domain::language::catalogue::Catalogue;
use crate::domain::reporting::report::Limits;
use crate::{telemetry, wiring};
use clap::{CommandFactory, Parser, Subcommand};
use jiff::Timestamp;
use std::ffi::OsString;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Learns rules for software agents from what people say at review gates.
#[derive(Debug, Parser)]
#[command(name = "feedbackd", version, propagate_version = true, after_help = exit::HELP)]
pub struct Cli {
    /// The configuration file
    #[arg(long, global = true, value_name = "FILE", env = "FEEDBACKD_CONFIG")]
    pub config: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the store: an empty Git repository with its README and roster
    Init,
    /// Run the daemon: take in decisions and reviews, propose rules, deploy and measure those in force
    Serve,
    /// Take in events from a file, without Redis: a cold start from history
    Replay(replay::Args),
    /// Look at everything the daemon needs, and say how to mend what is wrong
    Doctor,
    /// Show or check the configuration
    #[command(subcommand)]
    Config(config::Command),
    /// Show the whole loop, from corrections to a measured rule, on a private Redis server and a private store
    Demo(demo::Args),
    /// How much of everything there is, and how far the index has got
    Status,
    /// What reviewers said
    #[command(subcommand)]
    Feedback(feedback::Command),
    /// Feedback about the same thing, and what people say belongs together
    #[command(subcommand)]
    Clusters(clusters::Command),
    /// Rules offered for review: read them, approve, reject or modify them
    #[command(subcommand)]
    Proposals(proposals::Command),
    /// Rules in force: what they did, taking them out, and the files of other tools
    #[command(subcommand)]
    Rules(rules::Command),
    /// Print an agent's finished prompt, with the rules that were learned
    Prompt(prompt::Args),
    /// The demands that are known: look them up, check them, try a remark on them
    #[command(subcommand)]
    Catalogue(catalogue::Command),
    /// Why a feedback is read as it is, and what would have changed that
    Explain(explain::Args),
    /// Remarks that were made once
    #[command(subcommand)]
    EdgeCases(edge_cases::Command),
    /// Remarks that contradict earlier ones and wait for a person
    #[command(subcommand)]
    Ambiguous(ambiguous::Command),
    /// Withdraw what a reviewer or a feedback taught, and everything that rests on it
    Retract(retract::Args),
    /// Why: what is behind a line of a prompt or a rule, and what became of a feedback
    Lineage(lineage::Args),
    /// How well it works: correction rates, acceptance, times, what waits
    Report(report::Args),
    /// How well the program understands this store's remarks, with what people decided as the truth
    Selftest,
    /// Whether documents of iteration feedback can be acted upon, with everything that is wrong with them
    Validate(validate::Args),
    /// Whether a program's output or a person's words signal a failure, and of which kind
    Detect(detect::Args),
    /// Make a prompt better by what is said about its outcome, or show which refinements helped
    Refine(refine::Args),
    /// Conversation turns: what users made of them, and which strategies may be used again
    #[command(subcommand)]
    Turns(turns::Command),
    /// Agents' actions: what was tried, what worked, and what to try next
    #[command(subcommand)]
    Actions(actions::Command),
    /// Check the understanding on labelled data
    Eval(eval::Args),
    /// Make the index anew from the store
    Reindex(reindex::Args),
    /// Print a completion script
    Completions(completions::Args),
    /// Print the manual page, or write all of them to a directory
    Man(man::Args),
}

/// Opens what the commands work on, as the configuration says. Errors carry their exit code and a hint.
pub trait Opener {
    /// The configuration in force.
    fn config(&self, config: Option<&Path>) -> Result<Config, CliError>;

    /// Store, index and embedder, to read.
    fn reading(&self, config: Option<&Path>) -> Result<Reading, CliError>;

    /// How rules are measured, and the time.
    fn measuring(&self, config: Option<&Path>) -> Result<(MeasurePolicy, Timestamp), CliError> {
        Ok((wiring::measuring(&self.config(config)?), wiring::now()))
    }

    /// Store, index and embedder, to make the index anew or compare it.
    fn reindexing(&self, config: Option<&Path>) -> Result<Reindexing, CliError>;

    /// Submits what a person or a program says about what was learned.
    fn submit(&self, config: Option<&Path>, payload: &serde_json::Value) -> Result<Submitted, CliError> {
        submit::submit(&self.config(config)?, payload)
    }

    /// A memory of remarks that remembers nothing yet, as the configuration says.
    fn remembered(&self, config: Option<&Path>, understanding: &Understanding) -> Result<Remembered, CliError> {
        Ok(wiring::remembered(&self.config(config)?, understanding)?)
    }

    /// The catalogue files of the store, by their paths; none where there is no store.
    fn catalogue_files(&self, config: Option<&Path>) -> Result<Vec<(String, String)>, CliError> {
        Ok(wiring::catalogue_files(&self.config(config)?)?)
    }

    /// What texts demand, by a catalogue of the caller's.
    fn understanding(&self, config: Option<&Path>, catalogue: Catalogue) -> Result<Arc<Understanding>, CliError> {
        Ok(wiring::understanding_of(&self.config(config)?, catalogue)?)
    }

    /// Where a person's answers come from; `None` where nobody is there to be asked.
    fn answers(&self) -> Option<Box<dyn BufRead>> {
        let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
        (stdin.is_terminal() && stdout.is_terminal()).then(|| Box::new(std::io::BufReader::new(stdin)) as _)
    }

    /// What a report counts as short and long.
    fn limits(&self, config: Option<&Path>) -> Result<Limits, CliError> {
        Ok(wiring::report_limits(&self.config(config)?))
    }
}

/// The whole program: reads the arguments, runs the command, prints the error and its hint.
pub fn main() -> ExitCode {
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let width = Output::terminal_width();
    invoke(std::env::args_os(), &opener::Configured, &mut Output::new(&mut out, &mut err, width)).into()
}

/// Runs one command line against an opener and an output, both of the caller's choice.
pub fn invoke(args: impl IntoIterator<Item = OsString>, opener: &dyn Opener, out: &mut Output<'_>) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) if e.use_stderr() => return out.usage(&e.to_string()),
        // Help and version are answers, not errors.
        Err(e) => return out.raw(e.to_string().as_bytes()).map_or_else(|e| out.failure(&e), |()| Exit::Ok),
    };
    out.set_json(cli.json);
    match run(cli, opener, out) {
        Ok(exit) => exit,
        Err(e) => out.failure(&e),
    }
}

fn run(cli: Cli, opener: &dyn Opener, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let file = cli.config.as_deref();
    // The daemon logs as it is configured to.
    if !matches!(cli.command, Command::Serve) {
        telemetry::init_for_commands();
    }
    match cli.command {
        Command::Init => return init::run(&opener::load(file)?, out),
        Command::Serve => return serve::run(opener::load(file)?),
        Command::Replay(args) => return replay::run(&args, &opener::load(file)?, out),
        Command::Doctor => return doctor::run(file, out),
        Command::Config(command) => return config::run(&command, &opener::load(file)?, out),
        Command::Demo(args) => return demo::run(&args, out),
        Command::Eval(args) => return eval::run(&args, opener, file, out),
        Command::Validate(args) => return validate::run(&args, out),
        Command::Detect(args) => return detect::run(&args, out),
        Command::Refine(args) if !args.effectiveness => return refine::run(&args, &opener.config(file)?, out),
        Command::Catalogue(command) => return catalogue::run(&command, opener, file, out),
        Command::Reindex(args) => return reindex::run(&args, &opener.reindexing(file)?, out),
        Command::Completions(args) => return completions::run(&args, &mut Cli::command(), out),
        Command::Man(args) => return man::run(&args, Cli::command(), out),
        _ => {}
    }
    let reading = opener.reading(file)?;
    if let Some(notice) = reading.notice() {
        out.notice(notice);
    }
    let queries = reading.queries();
    let submitted = match &cli.command {
        Command::Proposals(command) => proposals::decide(command, &opener.config(file)?, &queries, out),
        Command::Clusters(command) => clusters::decide(command, &opener.config(file)?, out),
        Command::Ambiguous(command) => ambiguous::decide(command, &opener.config(file)?, out),
        Command::Retract(args) => retract::decide(args, &opener.config(file)?, out),
        Command::Rules(command) => rules::decide(command, &opener.config(file)?, out),
        _ => None,
    };
    if let Some(done) = submitted {
        return done;
    }
    match cli.command {
        Command::Status => status::run(&queries, out),
        Command::Feedback(command) => feedback::run(&command, &queries, out),
        Command::Clusters(clusters::Command::Review(args)) => questions::run(&args, opener, file, &queries, out),
        Command::Clusters(command) => clusters::run(&command, &queries, out),
        Command::Proposals(command) => proposals::run(&command, &queries, out),
        Command::Rules(command) => rules::run(&command, opener, file, &queries, out),
        Command::Prompt(args) => prompt::run(&args, opener, file, &queries, out),
        Command::EdgeCases(command) => edge_cases::run(&command, &queries, out),
        Command::Ambiguous(command) => ambiguous::run(&command, &queries, out),
        Command::Retract(args) => retract::preview(&args, &queries, out),
        Command::Selftest => selftest::run(opener.remembered(file, queries.understanding)?, &queries, out),
        Command::Explain(args) => explain::run(&args, &queries, out),
        Command::Lineage(args) => lineage::run(&args, &queries, out),
        Command::Refine(_) => refine::effectiveness(&queries, out),
        Command::Turns(command) => turns::run(&command, &queries, out),
        Command::Actions(command) => actions::run(&command, &opener.config(file)?, &queries, out),
        Command::Report(args) => report::run(&args, opener.limits(file)?, wiring::now(), &queries, out),
        _ => Ok(Exit::Ok),
    }
}
