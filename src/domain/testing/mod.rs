//! Records for tests and benchmarks.
//!
//! A test supplies the fields it cares about and gets decisions, feedback and proposals with everything else filled in.
//! It may use all modules; only tests and benchmarks use it.

pub mod sample;
