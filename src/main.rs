//! The program: passes its arguments to the command line. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    // For tests that abort the program; release builds have no fail points.
    #[cfg(debug_assertions)]
    let _fail_points = fail::FailScenario::setup();
    feedbackd::cli::main()
}
