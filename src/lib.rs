//! `feedbackd` learns rules for software agents from what people say at review gates.
//!
//! # The data path
//!
//! Entries are read from Redis Streams, decoded, made into feedback (redacted, with their corrections), compared with
//! earlier feedback, classified and grouped; proposals follow from groups. Reviews of these come the same way and bring
//! rules into force; what these did is measured. All of it becomes one Git commit per batch. Only when the commit is
//! durable is the index brought up to date, the agents' rules deployed, the outcome published and the batch acknowledged.
//!
//! # Layers
//!
//! | module | may import |
//! |---|---|
//! | [`domain`] | domain |
//! | [`ports`] | domain |
//! | [`metrics`], [`telemetry`], [`config`] | outside crates only (config: ids too) |
//! | [`app`] | domain, ports, metrics |
//! | [`adapters`] | domain, ports, config; siblings never each other |
//! | [`http`] | app, domain, metrics |
//! | [`daemon`] | app, domain, ports, http, config, metrics |
//! | [`wiring`] | app, adapters, daemon, domain, ports, config |
//! | [`cli`] | app, domain, daemon, wiring, config, telemetry |
//!
//! A test holds this table.

pub mod adapters;
pub mod app;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod domain;
pub mod http;
pub mod metrics;
pub mod ports;
pub mod telemetry;
pub mod wiring;

/// Reading makes and drops many small things: with the system's allocator about a quarter of its time goes there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
