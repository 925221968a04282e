//! `feedbackd rules`: the rules in force.

mod effect;

use super::exit::{CliError, Exit};
use super::output::Output;
use crate::app::effectiveness::MeasurePolicy;
use crate::app::queries::Queries;
use clap::Subcommand;
use jiff::Timestamp;

/// What to do with rules.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// What rules did: how often their correction was made before and after
    Effect(effect::Args),
}

/// Runs one of them.
pub fn run(
    command: &Command,
    queries: &Queries<'_>,
    (policy, now): (&MeasurePolicy, Timestamp),
    out: &mut Output<'_>,
) -> Result<Exit, CliError> {
    match command {
        Command::Effect(args) => effect::run(args, queries, policy, now, out),
    }
}
