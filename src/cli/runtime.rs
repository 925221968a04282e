//! A runtime for async work in synchronous commands.

use super::exit::{CliError, Exit};
use tokio::runtime::{Builder, Runtime};

/// Builds a runtime on this thread.
pub fn runtime() -> Result<Runtime, CliError> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map_err(|error| CliError::new(Exit::Failure, format!("cannot start: {error}"), ""))
}
