//! The long-running tasks: reading, processing, publishing, health; how they start and stop.
//!
//! Reading never waits for processing to finish. Processing runs on its own thread, because it is CPU and disk work and
//! owns the store. Two small channels connect them.

mod backoff;
mod batch_metrics;
mod engine;
mod exit;
mod forge_flush;
mod forge_poll;
mod forge_streams;
mod limits;
mod notifications;
mod prefetch;
mod question_search;
mod reader;
mod redis_monitor;
mod request;
mod rule_keys;
mod rule_pull_requests;
mod run;
mod service_manager;
mod supervisor;
mod worker;

pub use crate::web::{
    Ask, BACK, Claim, Demanding, GapKey, Held, Hooks, Identity, Lock, NotAsked, Oidc, OidcOptions, People, Proxy,
    PublishedSchema, ReviewUi, Services, StandIns,
};
pub use exit::Ended;
pub use forge_poll::Polling;
pub use forge_streams::Streaming;
pub use rule_pull_requests::Offers;
pub use run::{Daemon, DaemonError};
