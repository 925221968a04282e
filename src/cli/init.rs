//! `init`: creates the store.

use super::exit::{CliError, Exit};
use super::output::Output;
use crate::config::Config;
use crate::wiring::{self, InitOutcome};
use serde::Serialize;

/// The options of `init`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Let members of the store's group push to it. No effect if the store exists already
    #[arg(long)]
    shared: bool,
}

#[derive(Serialize)]
struct InitAnswer {
    store: String,
    created: bool,
    commit: String,
}

/// Runs the command.
pub fn run(args: &Args, config: &Config, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let store = config.store.path.display().to_string();
    let (created, commit) = match wiring::init_store(config, args.shared)? {
        InitOutcome::Created(commit) => (true, commit),
        InitOutcome::Existing(commit) => (false, commit),
    };
    let made = InitAnswer { store, created, commit: commit.to_string() };
    out.answer(&made, |_| {
        if made.created {
            format!(
                "Created the store {0}.\n\nNext: add the people who may approve rules to its roster,\n  feedbackd \
                 roster add ana=\"Ana Example\" ben=\"Ben Example\"\nthen start the daemon: feedbackd serve",
                made.store
            )
        } else {
            format!("There is already a store at {}; nothing was changed.", made.store)
        }
    })?;
    Ok(Exit::Ok)
}
