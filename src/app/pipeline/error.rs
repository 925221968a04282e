//! How a batch fails, and how a command within it is refused.

use super::working_set::LoadError;
use crate::admin::reindex::ReindexError;
use crate::domain::records::record::{Refusal, RefusalCode};
use crate::ports::{EmbedError, IndexError, KnowledgeError, StoreError};
use crate::text::ids::CommitId;
use thiserror::Error;

/// How often a batch is tried again because somebody else committed in between.
pub(crate) const RACES: usize = 16;

/// A failure that leaves the batch unprocessed: nothing of it was committed, nothing may be acknowledged.
#[derive(Debug, Error)]
pub enum PipelineError {
    /// The store.
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
    /// Near remarks could not be found.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The store no longer contains what was acknowledged.
    #[error(
        "the store was turned back: {} does not contain {known}, the last commit that is known; bring that back (`git fsck \
         --lost-found` finds it where the store still has it, else a backup), or say that it shall be so: `feedbackd store \
         accept {}`",
        head.as_ref().map_or_else(|| "its branch has no commit, which".to_owned(), |head| format!("its branch is at {head}, which")),
        head.as_ref().map_or("HEAD", |head| head.0.as_str())
    )]
    TurnedBack {
        /// Where the branch is.
        head: Option<CommitId>,
        /// What it should contain.
        known: CommitId,
    },
    /// The way of first parents no longer has the rosters that were in force.
    #[error(
        "{head} hides rosters that were in force, the last one since {since}: it was merged the other way round; in a clone, \
         merge into the store's branch instead of the other one, or set the branch back to the commit before and say so: \
         `feedbackd store accept HEAD`"
    )]
    RostersRewritten {
        /// Where the branch is.
        head: CommitId,
        /// Where the last roster that is known came into force.
        since: CommitId,
    },
    /// People commit faster than batches can be made.
    #[error("the branch moved {RACES} times while one batch was made; it will be tried again")]
    Busy,
    /// A record could not be written as text.
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

/// Why something was not done: it must not be, or it could not be.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It must not be; the batch goes on without it.
    Refused(Refusal),
    /// It could not be; the batch ends.
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

/// What was done, in words, or why it was not.
pub(crate) type Reviewed = Result<String, Stop>;

/// For those who go on where something is refused.
pub(crate) trait UnlessRefused<T> {
    /// What was done; `None` where it was refused.
    fn unless_refused(self) -> Result<Option<T>, PipelineError>;
}

impl<T> UnlessRefused<T> for Result<T, Stop> {
    fn unless_refused(self) -> Result<Option<T>, PipelineError> {
        match self {
            Ok(done) => Ok(Some(done)),
            Err(Stop::Refused(_)) => Ok(None),
            Err(Stop::Failed(error)) => Err(error),
        }
    }
}

/// A refusal of this kind.
pub(crate) fn refuse<T>(code: RefusalCode, message: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(Refusal { code, message: message.into() }))
}

/// What nobody may do, whoever asks.
pub(crate) fn impossible<T>(message: &str) -> Result<T, Stop> {
    refuse(RefusalCode::Impossible, message)
}
