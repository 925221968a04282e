//! `eval`: how well the program understands, measured on data that people labelled.

mod answers;
mod data;
mod hitl;
mod lists;
mod text;

use super::exit::{CliError, Exit};
use super::output::Output;
use crate::config::Config;

/// What can be checked.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// What review decisions ask for: groups, proposals, classes and confidence against labels
    Hitl(hitl::Args),
}

/// Runs one of them.
pub fn run(command: &Command, config: &Config, out: &mut Output<'_>) -> Result<Exit, CliError> {
    match command {
        Command::Hitl(args) => hitl::run(args, config, out),
    }
}
