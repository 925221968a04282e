//! `asyncapi`: the AsyncAPI document of the streams, for the tools of whoever publishes to them or reads them.

use super::exit::{CliError, Exit};
use super::output::Output;
use crate::domain::records::asyncapi;

/// Runs it.
pub fn run(out: &mut Output<'_>) -> Result<Exit, CliError> {
    out.raw(format!("{:#}\n", asyncapi::document()).as_bytes())?;
    Ok(Exit::Ok)
}
