//! A place to wait for what is asynchronous, for commands that are not.

use super::exit::{CliError, Exit};
use tokio::runtime::{Builder, Runtime};

/// A runtime on this thread.
pub fn runtime() -> Result<Runtime, CliError> {
    let built = Builder::new_current_thread().enable_all().build();
    built.map_err(|error| CliError::new(Exit::Failure, format!("cannot start: {error}"), ""))
}
