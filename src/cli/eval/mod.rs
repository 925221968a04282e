//! `eval`: how well the program understands, measured on data that people labelled.

mod answers;
mod data;
mod hitl;
mod lists;
mod task;
mod task_lines;
mod text;

use super::Opener;
use super::exit::{CliError, Exit};
use super::output::Output;
use std::path::Path;

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
}

/// Runs one of them.
pub fn run(args: &Args, opener: &dyn Opener, file: Option<&Path>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match &args.command {
        Some(Command::Hitl(args)) => hitl::run(args, &opener.config(file)?, out),
        None => task::run(&args.task, opener, file, out),
    }
}
