//! Telling people and programs: the queue of notices that wait, and what brings them to somebody.

use crate::domain::records::notification::Notice;
use crate::text::ids::CommitId;
use jiff::Timestamp;
use thiserror::Error;

/// Why the queue cannot be used.
#[derive(Debug, Error)]
#[error("the queue of notices: {0}")]
pub struct QueueError(pub String);

/// A notice that waits for one endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The endpoint's name.
    pub endpoint: String,
    /// Notices of one batch are delivered together; its name is the same however often that is tried.
    pub batch: String,
    /// Not before.
    pub due: Timestamp,
    /// How often it was tried in vain.
    pub attempts: u32,
    /// When it was tried first; where it was not yet, when it was queued.
    pub since: Timestamp,
    /// The notice.
    pub notice: Notice,
}

/// How an endpoint stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointState {
    /// Its name.
    pub name: String,
    /// How many notices wait for it.
    pub waiting: u64,
    /// Since when it wants none any more.
    pub disabled_at: Option<Timestamp>,
    /// It gets nothing before.
    pub held_until: Option<Timestamp>,
    /// When it took one last.
    pub delivered_at: Option<Timestamp>,
    /// When it did not, last, and why.
    pub failed: Option<(Timestamp, String)>,
}

/// The queue: durable, and read and written by more than one thread.
pub trait NoticeQueue: Send {
    /// The last commit whose notices were queued; `None` where there was none yet.
    fn position(&self) -> Result<Option<CommitId>, QueueError>;

    /// In one step: queues notices and moves the position. One that waits already is left as it is. Of an endpoint with more
    /// than `max` the oldest are dropped; returns how many were.
    fn queue(&mut self, waiting: &[Waiting], to: &CommitId, max: u64) -> Result<u64, QueueError>;

    /// Which endpoints there are, each with a text that is another one where it is another endpoint under its name: that one
    /// is not disabled. What waits for others is dropped.
    fn keep(&mut self, endpoints: &[(String, String)]) -> Result<(), QueueError>;

    /// The first batch of an endpoint that is due; empty where none is.
    fn due(&self, endpoint: &str, now: Timestamp) -> Result<Vec<Waiting>, QueueError>;

    /// A batch was taken: it waits no more, and the endpoint is held no more and not disabled.
    fn delivered(&mut self, endpoint: &str, batch: &str, now: Timestamp) -> Result<(), QueueError>;

    /// A batch was not taken: it is tried again at `again`, or dropped where that is nothing. The endpoint gets nothing
    /// before `hold`.
    fn failed(
        &mut self,
        endpoint: &str,
        batch: &str,
        now: Timestamp,
        why: &str,
        again: Option<Timestamp>,
        hold: Option<Timestamp>,
    ) -> Result<(), QueueError>;

    /// An endpoint wants no notices any more: what waits for it is dropped.
    fn disable(&mut self, endpoint: &str, now: Timestamp) -> Result<u64, QueueError>;

    /// How the endpoints stand, by name.
    fn endpoints(&self) -> Result<Vec<EndpointState>, QueueError>;
}

/// What came of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It was taken; what the other side said, in a few words.
    Taken(String),
    /// It was not: why, in words without secrets.
    Failed {
        /// Why.
        why: String,
        /// Nothing else shall be sent either for so many seconds.
        hold_seconds: Option<u64>,
    },
    /// The endpoint wants no notices any more.
    Gone,
}

/// Brings notices to one endpoint.
pub trait Messenger: Send + Sync {
    /// Sends a batch, within a deadline of its own. `batch` is the same for every attempt.
    fn send(&self, batch: &str, notices: &[Notice], now: Timestamp) -> Delivery;
}
