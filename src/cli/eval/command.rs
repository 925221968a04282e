//! `eval`: its arguments, and which of the two checks they ask for.

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

/// What else can be checked.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// What review decisions ask for: groups, proposals, classes and confidence against labels
    Hitl(hitl::Args),
    /// What the files that remarks are about tell of what they ask for, and which scopes hold
    Places(places::Args),
}

/// Runs one of them.
pub fn run(args: &Args, context: &Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match &args.command {
        Some(Command::Hitl(args)) => hitl::run(args, &context.config()?, out),
        Some(Command::Places(args)) => places::run(args, &context.config()?, out),
        None => task::run(&args.task, context, out),
    }
}
