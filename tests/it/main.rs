//! The only integration test binary: folders as in `src/`, one file per behaviour. It does not test private details.

#![allow(clippy::disallowed_types, reason = "tests look at Git, Redis and SQLite from outside, and run programs")]
#![allow(clippy::disallowed_methods, reason = "tests play the outside world, which has a clock")]

mod adapters;
mod app;
mod cli;
mod daemon;
mod domain;
mod harness;
mod house;
mod http;
mod mcp;
