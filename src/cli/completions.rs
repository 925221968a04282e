//! `completions SHELL`: a script that completes this command line.

use super::exit::{CliError, Exit};
use super::output::Output;
use clap_complete::Shell;

/// Its options.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub fn run(args: &Args, command: &mut clap::Command, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let mut script = vec![];
    clap_complete::generate(args.shell, command, "feedbackd", &mut script);
    out.raw(&script)?;
    Ok(Exit::Ok)
}
