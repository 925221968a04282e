//! The program: hands its arguments to the command line. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Where a test has it abort; a release build has no such places.
    #[cfg(debug_assertions)]
    let _fail_points = fail::FailScenario::setup();
    feedbackd::cli::main()
}
