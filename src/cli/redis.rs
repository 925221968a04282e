//! `redis retag`: renames the tenant's keys to those with the tenant in braces.

use super::context::Context;
use super::exit::{CliError, Exit};
use super::output::Output;
use super::runtime::runtime;
use crate::wiring::{self, Renaming};
use serde_json::json;

/// The subcommands for Redis.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Rename the tenant's keys to those of redis.hash_tags = true, with the tenant in braces
    ///
    /// Streams keep their entries, ids and group, and the cursor stays. First stop the daemon and everything that
    /// writes to the streams, and set redis.hash_tags = true. The user of Redis needs the right to RENAMENX.
    Retag(Retag),
}

/// Its options.
#[derive(Debug, clap::Args)]
pub struct Retag {
    /// Rename; otherwise what would be renamed is shown
    #[arg(long)]
    yes: bool,
}

/// Runs the command.
pub fn run(command: &Command, context: Context<'_>, out: &mut Output<'_>) -> Result<Exit, CliError> {
    let Command::Retag(Retag { yes }) = command;
    let config = context.config()?;
    if *yes {
        let renamed = runtime()?.block_on(wiring::retag(&config))?;
        out.answer(&json!({ "renamed": renamed }), |_| format!("Keys renamed: {renamed}. Start the daemon."))?;
        return Ok(Exit::Ok);
    }
    let renamings = runtime()?.block_on(wiring::renamings(&config))?;
    let listed: Vec<_> = renamings.iter().map(|Renaming { from, to }| json!({ "from": from, "to": to })).collect();
    out.answer(&json!({ "would_rename": listed }), |_| match renamings.as_slice() {
        [] => "There is nothing to rename.".to_owned(),
        renamings => {
            let lines = renamings.iter().map(|Renaming { from, to }| format!("{from} -> {to}\n"));
            format!("{}Nothing was renamed. Rename with --yes.", lines.collect::<String>())
        }
    })?;
    Ok(Exit::Ok)
}
