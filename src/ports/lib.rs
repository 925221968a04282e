//! The ports: what the service layer needs from Redis, Git, SQLite and the embedder. One file per port.
//!
//! Each trait documents its contract, and has one conformance suite that every implementation runs.

/// A place at which a test may have the program abort, so that every step of the data path is seen to survive it:
/// `FAILPOINTS=<name>=return` ends it there at the first time, `<name>=3*off->return` at the fourth. Release builds contain
/// none.
#[macro_export]
macro_rules! fail_point {
    ($name:literal) => {
        #[cfg(debug_assertions)]
        let _: Option<()> = $crate::fail_point::eval($name);
    };
}

/// What [`fail_point!`] expands to.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod fail_point {
    /// Aborts the program if `FAILPOINTS` says so.
    pub fn eval(name: &str) -> Option<()> {
        ::fail::eval(name, |_| ::std::process::abort())
    }
}

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
mod forge_api;
mod forges;
mod index;
mod indexed;
mod knowledge;
mod notifications;
mod purge;
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
pub use dead_letters::{EntryFields, Letters, SentAgain};
pub use embedder::{EmbedError, Embedder};
pub use event_stream::{EventStream, EventStreams, StreamError, Streamed};
pub use forge_api::{ForgeAnswer, ForgeApi};
pub use forges::{ForgeInbox, Handed};
pub use index::{Index, IndexError, IndexFiles, Order, TurnQuery, Which};
pub use indexed::{Asked, Counts, FeedbackFilter, IndexedFeedback, Outcome, OutcomeQuery, Submitted};
pub use knowledge::{Knowledge, KnowledgeError, NearVector};
pub use notifications::{Delivery, EndpointState, Messenger, NoticeQueue, QueueError, Waiting};
pub use purge::{HistoryPurger, PurgeFound, PurgeLast, PurgeResult};
pub use rest::{Rest, RestError};
pub use secret_file::{PrivateError, PrivateFile, Stamp};
pub use store::{
    ChangeSet, CommitInfo, CommitOutcome, FileWrite, Signatures, StoreError, StoreReader, StoreWriter, Trace,
};
pub use tracer::{Span, SpanKind, SpanStart, SpanValue, Tracer};
