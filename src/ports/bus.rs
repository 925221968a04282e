//! The event bus: incoming entries; outgoing acknowledgements, messages and agents' keys.

use crate::domain::intake::event::{RawEntry, Rejection, StreamKind};
use crate::domain::records::message::Outgoing;
use crate::text::ids::CommitId;
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::pin::Pin;
use thiserror::Error;

/// A failure of the event bus.
#[derive(Debug, Error)]
pub enum BusError {
    /// Redis cannot be reached, or returned a temporary error; try again.
    #[error("redis: {0}")]
    Unavailable(String),
    /// Redis returned a permanent error.
    #[error("redis: {message}; {hint}")]
    Refused {
        /// The error message.
        message: String,
        /// What to do.
        hint: String,
    },
}

/// A source of stream entries with at-least-once delivery.
pub trait EventSource: Send {
    /// Returns up to `max` available entries; waits until there are some or the source's own idle time has passed, then
    /// returns an empty batch. Never cancel this future: entries in flight would be stranded until the next start.
    /// After an error the consumer's own backlog is read again.
    fn next(&mut self, max: usize) -> impl Future<Output = Result<Vec<RawEntry>, BusError>> + Send;

    /// Returns entries trimmed while pending, since the last call.
    fn take_losses(&mut self) -> Vec<RawEntry>;

    /// Returns problems of unreadable streams while others are readable, one sentence each.
    fn troubles(&self) -> Vec<String>;
}

/// The desired values of one agent's keys; `None` for no key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentKeys {
    /// The agent. Any text is a valid name here, even an empty one.
    pub agent: String,
    /// Its active rules in prompt order, as a JSON list.
    pub active: Option<String>,
    /// The finished section for its prompt.
    pub prompt: Option<String>,
}

/// Acknowledges and publishes.
pub trait Publisher: Send {
    /// Returns a number for the open connection; `None` if there is none. If it has changed, the other end may be another
    /// server, which lacks the last writes of the former.
    fn connection(&self) -> Option<u64>;

    /// Makes this store the consumer group's store, whatever it was before.
    fn own(&mut self) -> impl Future<Output = Result<(), BusError>> + Send;

    /// Acknowledges entries whose effect is durable.
    fn ack(&mut self, entries: &[(String, String)]) -> impl Future<Output = Result<(), BusError>> + Send;

    /// Atomically: if the entry is still pending, acknowledges it and appends the dead letter. Repeated calls append it
    /// only once. Returns whether it was appended.
    fn dead_letter(
        &mut self,
        entry: &RawEntry,
        rejection: &Rejection,
    ) -> impl Future<Output = Result<bool, BusError>> + Send;

    /// Returns the last commit whose messages were published; `None` if there is none.
    fn cursor(&mut self) -> impl Future<Output = Result<Option<CommitId>, BusError>> + Send;

    /// If the cursor is still `from`, appends the messages and moves the cursor to `to`: each message once, even if the
    /// call is interrupted and repeated with the same arguments. Otherwise returns false and appends nothing.
    fn publish(
        &mut self,
        from: Option<&CommitId>,
        to: &CommitId,
        messages: &[Outgoing],
    ) -> impl Future<Output = Result<bool, BusError>> + Send;

    /// Atomically sets the agents' keys to the given values, and returns how many changed. It may be repeated at any
    /// time: it fixes overwritten or lost keys, and otherwise only checks. Keys of other agents are unchanged. Of two
    /// entries for one agent the last counts.
    fn deploy(&mut self, rules: &[AgentKeys]) -> impl Future<Output = Result<u64, BusError>> + Send;

    /// Returns the agents that have a key, whatever its content or writer, in no order.
    fn deployed(&mut self) -> impl Future<Output = Result<Vec<String>, BusError>> + Send;
}

/// The bus's state, as seen by an observer. Unknown values are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusState {
    /// The server's version.
    pub version: String,
    /// Memory in use, in bytes.
    pub memory: Option<u64>,
    /// The memory limit, in bytes; 0 means none.
    pub memory_limit: Option<u64>,
    /// The number of dead letters in their stream.
    pub dead_letters: u64,
    /// The streams being read.
    pub streams: Vec<BusStream>,
    /// Other members of the consumer group that hold entries or read recently.
    pub others: Vec<String>,
}

/// A stream that is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusStream {
    /// Its key.
    pub key: String,
    /// The kind of its entries.
    #[serde(skip)]
    pub kind: Option<StreamKind>,
    /// Entries read but not acknowledged.
    pub pending: Option<u64>,
    /// Entries not read yet.
    pub lag: Option<u64>,
}

/// Probes the bus on a separate connection.
pub type LookAtBus = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<BusState, BusError>> + Send>> + Send + Sync>;
