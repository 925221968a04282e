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
mod remote_copy;
mod request;
mod rule_keys;
mod rule_pull_requests;
mod run;
mod service_manager;
mod supervisor;
mod worker;

pub use crate::web::{
    BACK, Claim, DemandsCache, GapKey, Hooks, Identity, Oidc, OidcOptions, People, Proxy, PublishedSchema,
    RequestError, ReviewUi, SendRequest, Services, StandIns, UndoBuffer, WebhookSecrets,
};
pub use exit::DaemonExit;
pub use forge_poll::ForgePoll;
pub use forge_streams::ForgeStream;
pub use rule_pull_requests::RulePullRequests;
pub use run::{Daemon, DaemonError};
