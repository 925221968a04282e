//! The one integration test binary: a file per behaviour. It does not test private details.

#![allow(clippy::disallowed_types, reason = "tests look at Git, Redis and SQLite from outside, and run programs")]
#![allow(clippy::disallowed_methods, reason = "tests play the outside world, which has a clock")]

mod advice;
mod architecture;
mod catalogue;
mod channels;
mod channels_cli;
mod cli_reading;
mod clusters_review;
mod config;
mod effect;
mod effectiveness;
mod embedders;
mod eval;
mod git_store;
mod harness;
mod http;
mod http_api;
mod index;
mod kill;
mod knowledge;
mod learning;
mod lineage;
mod metrics;
mod model;
mod pipeline;
mod prepared;
mod prompting;
mod readings;
mod redis_deploy;
mod redis_probe;
mod redis_publisher;
mod redis_source;
mod reindex;
mod renewing;
mod replay;
mod report;
mod rules;
mod schemas;
mod serve;
mod signatures;
#[cfg(feature = "minilm")]
mod transformer;
mod words;
