//! Tokens: what stands for a person where programs or browsers ask. Only their hashes are kept.

mod book;
mod error;
mod scope;
mod token;

pub use book::{Tokens, Wanted};
pub use error::TokenError;
pub use scope::Scope;
pub use token::{Kind, Token};
