//! The one integration test binary: a file per behaviour.

mod cli_reading;
mod index;
mod reindex;
mod words;
