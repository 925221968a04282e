//! The integration tests: one binary, a file per behaviour.

mod readings;
