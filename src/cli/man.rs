//! `man [--out DIR]`: the manual pages, generated from the definition of the command line.

use super::exit::{CliError, Exit};
use super::output::Output;
use std::path::PathBuf;

/// Its options.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write one page per subcommand to this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, command: clap::Command, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let Some(directory) = &args.out else {
        let mut page = vec![];
        clap_mangen::Man::new(command).render(&mut page)?;
        out.raw(&page)?;
        return Ok(Exit::Ok);
    };
    std::fs::create_dir_all(directory).and_then(|()| clap_mangen::generate_to(command, directory)).map_err(|e| {
        let message = format!("cannot write manual pages to {}: {e}", directory.display());
        CliError::new(Exit::Failure, message, "name a writable directory with --out")
    })?;
    Ok(Exit::Ok)
}
