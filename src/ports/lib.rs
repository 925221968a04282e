//! The ports: what the service layer needs from Redis, Git, SQLite and the embedder. One file per port.
//!
//! Each trait documents its contract, and has one conformance suite that every implementation runs.

use feedbackd_domain as domain;
use feedbackd_text as text;

mod advisor;
mod bus;
mod clock;
mod clones;
mod corrections;
mod dead_letters;
mod embedder;
mod event_stream;
pub mod fail_point;
mod forge_api;
mod forges;
mod index;
mod indexed;
mod knowledge;
mod notifications;
mod purge;
mod remote;
mod rest;
mod secret_file;
mod store;
mod tracer;

pub use crate::domain::records::index_update::{FileChange, IndexUpdate};
pub use advisor::Advisor;
pub use bus::{AgentKeys, BusError, BusState, BusStream, EventSource, LookAtBus, Publisher};
pub use clock::Clock;
pub use clones::{CloneError, CloneFacts, ReadClone};
pub use corrections::CorrectionFiles;
pub use dead_letters::{DeadLetters, EntryFields, SentAgain};
pub use embedder::{EmbedError, Embedder};
pub use event_stream::{EventStream, EventStreams, StreamError, StreamItem};
pub use forge_api::{ForgeAnswer, ForgeApi};
pub use forges::{ForgeInbox, HandOver};
pub use index::{Index, IndexError, IndexFiles, Order, TurnQuery, Which};
pub use indexed::{
    Counts, FeedbackFilter, IndexedFeedback, IndexedQuestion, IndexedSubmissions, Outcome, OutcomeQuery,
};
pub use knowledge::{Knowledge, KnowledgeError, NearVector};
pub use notifications::{Delivery, EndpointState, Messenger, NotificationQueue, PendingNotification, QueueError};
pub use purge::{HistoryPurger, PurgeFound, PurgeLast, PurgeResult};
pub use remote::{GiveUp, PushOutcome, Remote, RemoteError, RemoteHead};
pub use rest::{Rest, RestError};
pub use secret_file::{PrivateError, PrivateFile, Stamp};
pub use store::{
    ChangeSet, CommitInfo, CommitOutcome, FileWrite, JoinOutcome, Signatures, StoreError, StoreReader, StoreWriter,
    Trace,
};
pub use tracer::{Span, SpanKind, SpanStart, SpanValue, Tracer};
