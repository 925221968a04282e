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
//! | [`metrics`] | domain |
//! | [`telemetry`] | nothing |
//! | [`config`] | domain::ids |
//! | [`app`] | domain, ports, metrics |
//! | [`adapters`] | domain, ports, config |
//! | [`mcp`] | app, domain |
//! | [`html`] | app, domain |
//! | [`http`] | app, domain, html, mcp, metrics |
//! | [`daemon`] | app, domain, ports, http, config, metrics |
//! | [`wiring`] | app, adapters, daemon, domain, ports, config |
//! | [`cli`] | app, domain, daemon, html, mcp, wiring, config, telemetry |
//!
//! Adapters never import each other. Within the domain each room looks only into those before it:
//!
//! | room of [`domain`] | may look into |
//! |---|---|
//! | leaves: [`identity`](domain::identity), [`ids`](domain::ids), [`interval`](domain::interval), [`json`](domain::json), [`prose`](domain::prose), [`redact`](domain::redact), [`source`](domain::source), [`timestamp`](domain::timestamp), [`verdict`](domain::verdict), [`yaml`](domain::yaml) | leaves |
//! | [`language`](domain::language) | leaves |
//! | [`channels`](domain::channels) | leaves, language |
//! | [`intake`](domain::intake) | leaves, language, channels |
//! | [`grouping`](domain::grouping) | leaves, language, channels, intake |
//! | [`records`](domain::records) | leaves, language, channels, intake, grouping |
//! | [`rules::drafting`](domain::rules::drafting) | leaves, language, channels, intake, grouping, records |
//! | [`rules::lifecycle`](domain::rules::lifecycle) | leaves, language, channels, intake, grouping, records, rules::drafting |
//! | [`rules::in_force`](domain::rules::in_force) | leaves, language, channels, intake, grouping, records, rules::drafting, rules::lifecycle |
//! | [`reporting`](domain::reporting) | leaves, language, channels, intake, grouping, records, rules |
//! | [`testing`](domain::testing) | leaves, language, channels, intake, grouping, records, rules |
//!
//! No two files import each other, nor do more of them in a circle. A test holds all of this.

/// A place at which a test may have the program abort, so that every step of the data path is seen to survive it:
/// `FAILPOINTS=<name>=return` ends it there at the first time, `<name>=3*off->return` at the fourth. In a release build
/// nothing is left of it.
macro_rules! fail_point {
    ($name:literal) => {
        #[cfg(debug_assertions)]
        let _: Option<()> = ::fail::eval($name, |_| ::std::process::abort());
    };
}

pub mod adapters;
pub mod app;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod domain;
pub mod html;
pub mod http;
pub mod mcp;
pub mod metrics;
pub mod ports;
pub mod telemetry;
pub mod wiring;

/// Reading makes and drops many small things: with the system's allocator about a quarter of its time goes there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
