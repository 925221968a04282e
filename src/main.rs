//! The program: hands its arguments to the command line. Everything else is in the library.

use feedbackd::app::reading::{Reading, Reindexing};
use feedbackd::cli::{self, CliError, Exit, Opener};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(&Unwired)
}

/// Stands in until `wiring` opens what the configuration names.
struct Unwired;

impl Opener for Unwired {
    fn reading(&self, _: Option<&Path>) -> Result<Reading, CliError> {
        Err(unwired())
    }

    fn reindexing(&self, _: Option<&Path>) -> Result<Reindexing, CliError> {
        Err(unwired())
    }
}

fn unwired() -> CliError {
    CliError::new(Exit::Configuration, "this build opens no store", "use a build with its wiring")
}
