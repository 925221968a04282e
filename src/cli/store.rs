//! `store accept COMMIT`: a person confirms that the store's history is intended.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::runtime::runtime;
use crate::wiring;
use serde_json::json;

/// The subcommands for the store.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Continue from a commit that lacks acknowledged entries, or with this store instead of another one
    ///
    /// For a store that was reset on purpose: restored from a backup, or rewritten. What it lacks is gone, and anything
    /// unpublished up to this commit never will be published.
    Accept(Accept),
}

/// Its options.
#[derive(Debug, clap::Args)]
pub struct Accept {
    /// The current commit of the branch, or HEAD
    commit: String,
}

/// Runs the command.
pub fn run(command: &Command, context: Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let Command::Accept(Accept { commit }) = command;
    let config = context.config()?;
    let accepted = runtime()?.block_on(wiring::accept(&config, commit))?;
    out.answer(&json!({ "commit": accepted.0 }), |_| {
        format!("The store continues from {}. A waiting daemon picks it up automatically.", accepted.short())
    })?;
    Ok(Exit::Ok)
}
