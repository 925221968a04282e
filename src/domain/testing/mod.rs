//! Records for tests and benchmarks.
//!
//! In comes what a test cares about. Out go decisions, feedback and proposals in which everything else is filled in. It may
//! look into all rooms; only tests and benchmarks look into it.

pub mod sample;
