//! Why a token is rejected.

use crate::ports::PrivateError;
use jiff::Timestamp;
use thiserror::Error;

/// Why a token is rejected. For a token that never existed, nothing more is disclosed.
#[derive(Debug, Error)]
pub enum TokenError {
    /// There is no such token.
    #[error("unknown token")]
    Unknown,
    /// It has expired.
    #[error("the token {id} expired at {at}; create a new one with `feedbackd token create`")]
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
    #[error("the link {id} was used at {at}; create a new one with `feedbackd token link`")]
    Used {
        /// The line's id.
        id: String,
        /// When it was made.
        at: Timestamp,
    },
    /// It is only for logging in.
    #[error("a login link is not a token; open it in a browser")]
    OnlyLogin,
    /// There is no token with this id.
    #[error("there is no token with the id `{0}`; `feedbackd token list` lists them")]
    NoSuchId(String),
    /// The file of tokens cannot be used.
    #[error(transparent)]
    File(#[from] PrivateError),
    /// The file of tokens is invalid.
    #[error("the token file cannot be read: {0}; fix it, or delete it and create new tokens")]
    Unreadable(String),
    /// The system's random number source failed.
    #[error("the system provides no random numbers: {0}")]
    Random(String),
}
