//! Redis Streams: where decisions and reviews come from, and where outcomes go (specification, "Streams in" and
//! "Streams and keys out").
//!
//! | file | what |
//! |---|---|
//! | `source` | reads the streams as a member of the consumer group |
//! | `gate_requests` | which gate request a dispatcher event names, and fetching it |
//! | `publisher` | acknowledges, dead-letters and publishes, each atomically; deploys the agents' rules |
//! | `cursor_value` | the text in the cursor's key |
//! | `dead_letter` | the content of a dead letter |
//! | `probe` | the state of the server and the streams, for `doctor`, `status` and `/ready` |
//! | `connection` | opens connections; never leaks a secret |
//! | `primary` | finds the server that holds the keys, with Sentinel or in a cluster |
//! | `password` | a password that may change meanwhile |
//! | `redis_url` | the target of a URL, without its secrets |
//! | `route` | how the server was found, for `doctor` |
//! | `rights` | commands that the user may not run, for `doctor` |
//! | `retag` | renames a tenant's keys |
//! | `purge` | removes purged content from streams and keys |
//! | `stream_ops` | appends to streams and reads them, for commands and the demonstration |
//! | `forges` | pending parts of reviews from forges |
//! | `dead_letters` | whole dead letters, and sending one back to its stream |
//! | `scan` | lists keys by their beginning |
//! | `request` | sends commands |
//! | `reply` | replies, parsed by hand: the client's own stream types are six times slower |
//! | `error` | server errors, as a [`BusError`](crate::ports::BusError) with a hint |
//! | `scripts/` | the atomic steps |
//!
//! Reading, look-ups and publishing each have a connection: a reply of many entries takes a while, and publishing does
//! not wait for it. Nothing blocks in Redis: if there are no entries, the streams are polled again after a pause. Needs
//! Redis 7.0. It deliberately does not retry, never removes a consumer that holds entries (that would lose them), and does
//! not decode anything.

#![allow(clippy::disallowed_types, reason = "this is the adapter that owns Redis")]

mod connection;
mod cursor_value;
mod dead_letter;
mod dead_letters;
mod error;
mod forges;
#[cfg(fuzzing)]
mod fuzz;
mod gate_requests;
mod options;
mod password;
mod primary;
mod probe;
mod publisher;
mod purge;
mod redis_url;
mod reply;
mod request;
mod retag;
mod rights;
mod route;
mod scan;
mod source;
mod stream_ops;

pub use dead_letters::RedisLetters;
pub use forges::RedisForges;
pub use gate_requests::{GateRequests, request_id};
pub use options::{RedisOptions, Sentinels, Tls, Topology};
pub use password::Password;
pub use probe::{Consumer, Finding, Group, Probe, StreamState, probe};
pub use publisher::RedisPublisher;
pub use purge::{own_keys, remove_entries, remove_from_key};
pub use redis_url::redacted;
pub use retag::{Renaming, rename, renamings};
pub use rights::{MissingRight, missing_rights};
pub use route::route;
pub use source::RedisSource;
pub use stream_ops::{Appender, append, check, entries, text_at, try_write};

#[cfg(fuzzing)]
pub use fuzz::fuzz_replies;
