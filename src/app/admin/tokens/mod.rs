//! Tokens that identify a person to programs or browsers. Only their hashes are kept.

mod book;
mod error;
mod scope;
mod token;

pub use book::{TokenRequest, Tokens};
pub use error::TokenError;
pub use scope::Scope;
pub use token::{Kind, Token};
