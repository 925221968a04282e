//! The long-running tasks: reading, processing, publishing, health; how they start and how they stop.
//!
//! Reading never waits for processing to finish, and processing runs on a thread of its own, because it is CPU and
//! disk work and owns the store. What connects them are two small channels.

mod ahead;
mod asking;
mod backoff;
mod counting;
mod deployed;
mod ended;
mod engine;
mod gathering;
mod limits;
mod notification;
mod offering;
mod polling;
mod reader;
mod request;
mod run;
mod sight;
mod streaming;
mod supervisor;
mod telling;
mod worker;

pub use crate::http::{
    Ask, BACK, Claim, Demanding, GapKey, Held, Hooks, Identity, Lock, NotAsked, Oidc, OidcOptions, People, Proxy,
    PublishedSchema, ReviewUi, Services, StandIns,
};
pub use ended::Ended;
pub use offering::Offers;
pub use polling::Polling;
pub use run::{Daemon, DaemonError};
pub use streaming::Streaming;
