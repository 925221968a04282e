//! The program: hands its arguments to the command line. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    feedbackd::cli::main()
}
