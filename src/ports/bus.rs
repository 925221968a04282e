//! The event bus: entries come in, and acknowledgements, messages and the agents' keys go out.

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
    /// Redis cannot be reached, or answered with an error that will pass; try again.
    #[error("redis: {0}")]
    Unavailable(String),
    /// Redis answered with an error that will not pass by itself.
    #[error("redis: {message}; {hint}")]
    Refused {
        /// What it said.
        message: String,
        /// What to do.
        hint: String,
    },
}

/// A source of stream entries with at-least-once delivery.
pub trait EventSource: Send {
    /// Whatever waits, at most `max` entries; waits until there is something or the source's own idle time has
    /// passed, then returns an empty batch. Never cancel this future: entries in flight would be stranded until
    /// the next start. After an error the own backlog is read again.
    fn next(&mut self, max: usize) -> impl Future<Output = Result<Vec<RawEntry>, BusError>> + Send;

    /// Entries that were trimmed while they were pending, since the last call.
    fn take_losses(&mut self) -> Vec<RawEntry>;

    /// What is wrong with streams that cannot be read while the others can, one sentence for each.
    fn troubles(&self) -> Vec<String>;
}

/// What one agent's keys shall hold; `None` where there shall be no key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentKeys {
    /// The agent. Any text is a name here, an empty one too.
    pub agent: String,
    /// Its active rules in prompt order, as a JSON list.
    pub active: Option<String>,
    /// The finished section for its prompt.
    pub prompt: Option<String>,
}

/// Acknowledges and publishes.
pub trait Publisher: Send {
    /// Makes this store the one that the consumer group works for, whichever it was.
    fn own(&mut self) -> impl Future<Output = Result<(), BusError>> + Send;

    /// Acknowledges entries whose effect is durable.
    fn ack(&mut self, entries: &[(String, String)]) -> impl Future<Output = Result<(), BusError>> + Send;

    /// In one step: if the entry was still pending, acknowledges it and appends the dead letter. So it appears
    /// once however often this is repeated. Returns whether it was appended.
    fn dead_letter(
        &mut self,
        entry: &RawEntry,
        rejection: &Rejection,
    ) -> impl Future<Output = Result<bool, BusError>> + Send;

    /// The last commit whose messages were published; `None` where nothing ever was.
    fn cursor(&mut self) -> impl Future<Output = Result<Option<CommitId>, BusError>> + Send;

    /// In one step: if the cursor still is `from`, appends the messages and moves the cursor to `to`. Returns
    /// false, and appends nothing, where the cursor is elsewhere.
    fn publish(
        &mut self,
        from: Option<&CommitId>,
        to: &CommitId,
        messages: &[Outgoing],
    ) -> impl Future<Output = Result<bool, BusError>> + Send;

    /// Makes the agents' keys what is given, all in one step, and returns how many had to change. So it may be
    /// repeated at any time: where somebody overwrote or lost a key it mends that, else it only looks. Keys of agents
    /// that are not named stay as they are. Of two entries for one agent the last counts.
    fn deploy(&mut self, rules: &[AgentKeys]) -> impl Future<Output = Result<u64, BusError>> + Send;

    /// The agents that have a key of ours, whatever is in it and whoever wrote it, in no order.
    fn deployed(&mut self) -> impl Future<Output = Result<Vec<String>, BusError>> + Send;
}

/// How the bus is, as somebody who only looks sees it. What cannot be known is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusState {
    /// The server's version.
    pub version: String,
    /// The memory in use, in bytes.
    pub memory: Option<u64>,
    /// The memory that may be used, in bytes; 0 is no limit.
    pub memory_limit: Option<u64>,
    /// Dead letters in their stream.
    pub dead_letters: u64,
    /// The streams that are read.
    pub streams: Vec<BusStream>,
    /// Other members of the consumer group that hold entries, or read lately.
    pub others: Vec<String>,
}

/// A stream that is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusStream {
    /// Its key.
    pub key: String,
    /// What it carries.
    #[serde(skip)]
    pub kind: Option<StreamKind>,
    /// Read and not acknowledged.
    pub pending: Option<u64>,
    /// Not read yet.
    pub lag: Option<u64>,
}

/// Looks at the bus on a connection of its own.
pub type LookAtBus = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<BusState, BusError>> + Send>> + Send + Sync>;
