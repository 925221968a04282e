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
//! The layers are crates below `src/`, and the compiler holds their order: what one of them may use is said in its `Cargo.toml`.
//! [`text`] uses none of the others; [`domain`] uses text; [`ports`], [`metrics`] and [`config`] use these two at most; [`app`] uses
//! domain, ports and metrics; [`adapters`] uses domain, ports and config; [`web`] uses app and metrics. This crate puts them together:
//!
//! | module | may import |
//! |---|---|
//! | [`telemetry`] | nothing |
//! | [`daemon`] | app, domain, text, ports, web, config, metrics |
//! | [`wiring`] | app, adapters, daemon, domain, text, ports, config, web |
//! | [`cli`] | app, domain, text, daemon, web, wiring, config, telemetry |
//!
//! Adapters never import each other. Within the domain each room looks only into those before it:
//!
//! | room of [`domain`] | may look into |
//! |---|---|
//! | leaves: [`identity`](domain::identity), [`interval`](domain::interval), [`json`](domain::json), [`source`](domain::source), [`timestamp`](domain::timestamp) | leaves |
//! | [`channels`](domain::channels) | leaves |
//! | [`intake`](domain::intake) | leaves, channels |
//! | [`clusters`](domain::clusters) | leaves, channels, intake |
//! | [`records`](domain::records) | leaves, channels, intake, clusters |
//! | [`rules::draft`](domain::rules::draft) | leaves, channels, intake, clusters, records |
//! | [`rules::lifecycle`](domain::rules::lifecycle) | leaves, channels, intake, clusters, records, rules::draft |
//! | [`rules::in_force`](domain::rules::in_force) | leaves, channels, intake, clusters, records, rules::draft, rules::lifecycle |
//! | [`reporting`](domain::reporting) | leaves, channels, intake, clusters, records, rules |
//! | [`testing`](domain::testing) | leaves, channels, intake, clusters, records, rules |
//!
//! No two files import each other, nor do more of them in a circle. A test holds all of this.

pub use feedbackd_adapters as adapters;
pub use feedbackd_app as app;
pub use feedbackd_config as config;
pub use feedbackd_domain as domain;
pub use feedbackd_metrics as metrics;
pub use feedbackd_ports as ports;
pub use feedbackd_text as text;
pub use feedbackd_web as web;

pub mod cli;
pub mod daemon;
pub mod telemetry;
pub mod wiring;

/// Interpreting texts allocates and drops many small objects: the system's allocator takes about a quarter of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
