//! Redis Streams: where decisions and reviews come from, and where outcomes go (specification, "Streams in" and
//! "Streams and keys out").
//!
//! | file | what |
//! |---|---|
//! | `source` | reads the streams as a member of the consumer group |
//! | `gate_requests` | which gate request a dispatcher event names, and fetching it |
//! | `publisher` | acknowledges, dead-letters and publishes, each in one step; deploys the agents' rules |
//! | `dead_letter` | what a dead letter says |
//! | `probe` | how the server and the streams are, for `doctor`, `status` and `/ready` |
//! | `connection` | opening connections; nothing secret ever leaves it |
//! | `place` | where a URL leads, without its secrets |
//! | `purging` | takes what is looked for out of streams and keys |
//! | `desk` | a publisher's and a reader's seat, for the demonstration |
//! | `forges` | where parts of reviews wait that forges send |
//! | `letters` | dead letters whole, and one of them back to its stream |
//! | `reply` | replies, parsed by hand: the client's own stream types are six times slower |
//! | `error` | what the server said, as a [`BusError`](crate::ports::BusError) with a hint |
//! | `scripts/` | the steps that must be one step |
//!
//! Reading, looking up and publishing have a connection each: a reply of many entries takes a while, and what is published
//! does not wait behind it. Nothing blocks in Redis: if nothing comes, the streams are asked again after a pause. Needs
//! Redis 7.0. It deliberately does not retry, does not know Sentinel or Cluster, never removes
//! a consumer that holds entries (that would throw them away), and does not decode anything.

#![allow(clippy::disallowed_types, reason = "this is the adapter that owns Redis")]

mod connection;
mod dead_letter;
mod dead_letters;
mod error;
mod forges;
#[cfg(fuzzing)]
mod fuzz;
mod gate_requests;
mod options;
mod probe;
mod publisher;
mod purge;
mod redis_url;
mod reply;
mod source;
mod stream_ops;

pub use dead_letters::RedisLetters;
pub use forges::RedisForges;
pub use gate_requests::{GateRequests, request_id};
pub use options::{RedisOptions, Tls};
pub use probe::{Consumer, Finding, Group, Probe, StreamState, probe};
pub use publisher::RedisPublisher;
pub use purge::{own_keys, remove_entries, remove_from_key};
pub use redis_url::redacted;
pub use source::RedisSource;
pub use stream_ops::{Appender, append, check, entries, text_at, try_write};

#[cfg(fuzzing)]
pub use fuzz::fuzz_replies;
