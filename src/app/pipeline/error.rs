//! How a batch fails, and how a command within it is rejected.

use super::working_set::LoadError;
use crate::admin::reindex::ReindexError;
use crate::domain::records::record::{Refusal, RefusalCode};
use crate::ports::{EmbedError, IndexError, KnowledgeError, StoreError};
use crate::text::ids::CommitId;
use thiserror::Error;

/// How often a batch is retried because of a concurrent commit.
pub(crate) const RACES: usize = 16;

/// A failure that leaves the batch unprocessed: nothing was committed, and nothing may be acknowledged.
#[derive(Debug, Error)]
pub enum PipelineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index could not be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The index could not be brought up to the store.
    #[error(transparent)]
    Reindex(#[from] ReindexError),
    /// Texts could not be embedded.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Near comments could not be found.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The store no longer contains what was acknowledged.
    #[error(
        "the store was rolled back: {} does not contain {known}, the last known commit; restore that commit (`git \
         fsck --lost-found` finds it if the store still has it; otherwise use a backup), or accept the new state: \
         `feedbackd store accept {}`",
        head.as_ref().map_or_else(|| "its branch has no commit, which".to_owned(), |head| format!("its branch is at {head}, which")),
        head.as_ref().map_or("HEAD", |head| head.0.as_str())
    )]
    TurnedBack {
        /// The branch's head.
        head: Option<CommitId>,
        /// The commit it should contain.
        known: CommitId,
    },
    /// The first-parent history no longer has the rosters that were in force.
    #[error(
        "{head} hides rosters that were in force, the last one since {since}: it was merged the wrong way round; in a \
         clone, merge into the store's branch instead, or reset the branch to the previous commit and accept that: \
         `feedbackd store accept HEAD`"
    )]
    RostersRewritten {
        /// The branch's head.
        head: CommitId,
        /// The commit at which the last known roster came into force.
        since: CommitId,
    },
    /// People commit faster than batches can be processed.
    #[error("the branch moved {RACES} times while one batch was built; it will be tried again")]
    Busy,
    /// A record could not be serialized.
    #[error("a record cannot be written: {0}")]
    Record(String),
}

impl From<LoadError> for PipelineError {
    fn from(error: LoadError) -> PipelineError {
        match error {
            LoadError::Index(error) => error.into(),
            LoadError::Embed(error) => error.into(),
        }
    }
}

/// Why something was not done: it is not allowed, or it failed.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It is not allowed; the batch goes on without it.
    Refused(Refusal),
    /// It failed; the batch ends.
    Failed(PipelineError),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

macro_rules! failures {
    ($($error:ty),*) => {$(
        impl From<$error> for Stop {
            fn from(error: $error) -> Stop {
                Stop::Failed(error.into())
            }
        }
    )*};
}
failures!(PipelineError, StoreError, IndexError, EmbedError, KnowledgeError);

/// What was done, or why it was not.
pub(crate) type ReviewResult = Result<String, Stop>;

/// For callers that carry on after a rejection.
pub(crate) trait RejectionExt<T> {
    /// Returns what was done; `None` if it was rejected.
    fn unless_refused(self) -> Result<Option<T>, PipelineError>;
}

impl<T> RejectionExt<T> for Result<T, Stop> {
    fn unless_refused(self) -> Result<Option<T>, PipelineError> {
        match self {
            Ok(done) => Ok(Some(done)),
            Err(Stop::Refused(_)) => Ok(None),
            Err(Stop::Failed(error)) => Err(error),
        }
    }
}

/// Returns a rejection of this kind.
pub(crate) fn refuse<T>(code: RefusalCode, message: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(Refusal { code, message: message.into() }))
}

/// Rejects something that no one may do.
pub(crate) fn impossible<T>(message: &str) -> Result<T, Stop> {
    refuse(RefusalCode::Impossible, message)
}
