//! Records for tests and benchmarks.

pub mod sample;
