//! Why a token opens nothing.

use crate::ports::PrivateError;
use jiff::Timestamp;
use thiserror::Error;

/// Why a token opens nothing. Of one that nobody ever had nothing more is said than that.
#[derive(Debug, Error)]
pub enum TokenError {
    /// Nobody has such a token.
    #[error("this is no token of anybody")]
    Unknown,
    /// Its time is over.
    #[error("the token {id} ended at {at}; make a new one with `feedbackd token create`")]
    Expired {
        /// Its id.
        id: String,
        /// When.
        at: Timestamp,
    },
    /// It was revoked.
    #[error("the token {id} was revoked at {at}")]
    Revoked {
        /// Its id.
        id: String,
        /// When.
        at: Timestamp,
    },
    /// It could be used once.
    #[error("the link {id} was used at {at}; make a new one with `feedbackd token link`")]
    Used {
        /// Its id.
        id: String,
        /// When.
        at: Timestamp,
    },
    /// It is for logging in alone.
    #[error("a login link is no token; open it in a browser")]
    OnlyLogin,
    /// There is no token of this id.
    #[error("there is no token with the id `{0}`; `feedbackd token list` shows them")]
    NoSuchId(String),
    /// The file of tokens cannot be used.
    #[error(transparent)]
    File(#[from] PrivateError),
    /// The file of tokens makes no sense.
    #[error("the file of tokens cannot be read: {0}; mend it, or delete it and make new ones")]
    Unreadable(String),
    /// The system has no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
}
