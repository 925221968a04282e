//! `mcp`: serves an agent's MCP client over standard input and output, without a daemon. Only the protocol is written
//! to standard output.

use super::context::Context;
use super::exit::{CliError, Exit};
use crate::web::mcp::{McpState, over_stdio};
use crate::wiring;
use std::sync::Arc;

/// Serves requests until the client closes standard input.
pub fn run(context: &Context<'_>) -> Result<Exit, CliError> {
    let config = context.config()?;
    let desk = McpState::new(Arc::new(wiring::asking(&config)?), Arc::new(wiring::outcomes(&config)?));
    let ended = super::runtime::runtime()?.block_on(over_stdio(desk));
    ended.map(|()| Exit::Ok).map_err(|error| {
        CliError::new(Exit::Failure, error.to_string(), "this command is started by an MCP client; see docs/agents.md")
    })
}
