//! `eval`: its arguments and the dispatch between its checks.

use super::{hitl, places, task};
use crate::cli::context::Context;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::Output;

/// What to check: a task on labelled lines, or the whole pipeline.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_long_help = task::DEFINITIONS)]
pub struct Args {
    #[command(flatten)]
    task: task::Args,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Further checks.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// What review decisions ask for: clusters, proposals, classes and confidence against labels
    Hitl(hitl::Args),
    /// What comments' files reveal about their demands, and which scopes hold
    Places(places::Args),
}

/// Runs a subcommand.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match &args.command {
        Some(Command::Hitl(args)) => hitl::run(args, &context.config()?, out),
        Some(Command::Places(args)) => places::run(args, &context.config()?, out),
        None => task::run(&args.task, context, out),
    }
}
