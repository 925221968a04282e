//! `asyncapi`: the AsyncAPI document of the streams, for the tools of publishers and subscribers.

use super::exit::{CliError, Exit};
use super::output::Output;
use crate::domain::records::asyncapi;

/// Runs the command.
pub fn run(out: &mut Output<'_>) -> Result<Exit, CliError> {
    out.raw(format!("{:#}\n", asyncapi::document()).as_bytes())?;
    Ok(Exit::Ok)
}
