//! The seams to the outside: what the service layer asks of Redis, Git, SQLite and the embedder. A file for each port.
//!
//! Each trait says what must hold, and each has one conformance suite that every implementation runs.

mod advisor;
mod bus;
mod clock;
mod clones;
mod corrections;
mod embedder;
mod event_stream;
mod forge_api;
mod forges;
mod index;
mod indexed;
mod knowledge;
mod letters;
mod private;
mod purging;
mod rest;
mod store;
mod telling;
mod tracer;

pub use crate::domain::records::index_update::{FileChange, IndexUpdate};
pub use advisor::Advisor;
pub use bus::{AgentKeys, BusError, BusState, BusStream, EventSource, LookAtBus, Publisher};
pub use clock::Clock;
pub use clones::{CloneError, CloneFacts, ReadClone};
pub use corrections::CorrectionFiles;
pub use embedder::{EmbedError, Embedder};
pub use event_stream::{EventStream, EventStreams, StreamError, Streamed};
pub use forge_api::{ForgeAnswer, ForgeApi};
pub use forges::{ForgeInbox, Handed};
pub use index::{Index, IndexError, IndexFiles, Order, TurnQuery, Which};
pub use indexed::{Asked, Counts, FeedbackFilter, IndexedFeedback, Outcome, OutcomeQuery, Submitted};
pub use knowledge::{Knowledge, KnowledgeError, NearVector};
pub use letters::{EntryFields, Letters, SentAgain};
pub use private::{PrivateError, PrivateFile, Stamp};
pub use purging::{HistoryPurger, PurgeFound, PurgeLast, PurgeResult};
pub use rest::{Rest, RestError};
pub use store::{
    ChangeSet, CommitInfo, CommitOutcome, FileWrite, Signatures, StoreError, StoreReader, StoreWriter, Trace,
};
pub use telling::{Delivery, EndpointState, Messenger, NoticeQueue, QueueError, Waiting};
pub use tracer::{Span, SpanKind, SpanStart, SpanValue, Tracer};
