//! Why a token is rejected.

use crate::ports::PrivateError;
use jiff::Timestamp;
use thiserror::Error;

/// Why a token is rejected. For a token that never existed, nothing more is disclosed.
#[derive(Debug, Error)]
pub enum TokenError {
    /// There is no such token.
    #[error("this is no token of anybody")]
    Unknown,
    /// It has expired.
    #[error("the token {id} ended at {at}; make a new one with `feedbackd token create`")]
    Expired {
        /// The line's id.
        id: String,
        /// When it was made.
        at: Timestamp,
    },
    /// It was revoked.
    #[error("the token {id} was revoked at {at}")]
    Revoked {
        /// The line's id.
        id: String,
        /// When it was made.
        at: Timestamp,
    },
    /// It has already been used once.
    #[error("the link {id} was used at {at}; make a new one with `feedbackd token link`")]
    Used {
        /// The line's id.
        id: String,
        /// When it was made.
        at: Timestamp,
    },
    /// It is only for logging in.
    #[error("a login link is no token; open it in a browser")]
    OnlyLogin,
    /// There is no token with this id.
    #[error("there is no token with the id `{0}`; `feedbackd token list` shows them")]
    NoSuchId(String),
    /// The file of tokens cannot be used.
    #[error(transparent)]
    File(#[from] PrivateError),
    /// The file of tokens is invalid.
    #[error("the file of tokens cannot be read: {0}; mend it, or delete it and make new ones")]
    Unreadable(String),
    /// The system's random number source failed.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
}
