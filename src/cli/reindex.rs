//! `reindex [--check]`: rebuilds the index from the store, or compares the two.

use super::exit::{CliError, Exit};
use super::output::Output;
use super::page::count;
use crate::app::queries::reader::ReindexAccess;

/// Its options.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Change nothing; print how the index differs from the store, and exit with 1 if it does
    #[arg(long)]
    check: bool,
}

impl Args {
    /// Reports whether the index is rebuilt rather than only checked.
    pub fn makes(&self) -> bool {
        !self.check
    }
}

/// Runs the command.
pub fn run(args: &Args, reindexing: &ReindexAccess, out: &mut Output<'_>) -> Result<Exit, CliError> {
    if args.check {
        let difference = reindexing.check()?;
        out.answer(&difference, |_| match difference.is_empty() {
            true => "The index matches the store.".to_owned(),
            false => difference.to_string(),
        })?;
        return Ok(if difference.is_empty() { Exit::Ok } else { Exit::Failure });
    }
    let rebuilt = reindexing.rebuild()?;
    out.answer(&rebuilt, |_| match &rebuilt.commit {
        Some(commit) => {
            format!("The index was built from {} at commit {}.", count(rebuilt.records, "file"), commit.short())
        }
        None => "The store has no commits; the index is empty.".to_owned(),
    })?;
    Ok(Exit::Ok)
}
