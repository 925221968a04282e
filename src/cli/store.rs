//! `store accept COMMIT`: people say that the store's history is as it shall be.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::runtime::runtime;
use crate::wiring;
use serde_json::json;

/// What can be said of the store.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Go on from a commit that lacks what was acknowledged, or with this store instead of another one
    ///
    /// For a store that was set back on purpose: restored from a backup, or rewritten. What it lacks is gone, and what
    /// was not published up to this commit never will be.
    Accept(Accept),
}

/// Its options.
#[derive(Debug, clap::Args)]
pub struct Accept {
    /// The commit at which the branch is, or HEAD
    commit: String,
}

/// Runs it.
pub fn run(command: &Command, context: Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let Command::Accept(Accept { commit }) = command;
    let config = context.config()?;
    let accepted = runtime()?.block_on(wiring::accept(&config, commit))?;
    out.answer(&json!({ "commit": accepted.0 }), |_| {
        format!("The store goes on from {}. A daemon that waits takes it up by itself.", accepted.short())
    })?;
    Ok(Exit::Ok)
}
