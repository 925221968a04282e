//! `catalogue lint|list|show|test|learn`: the content of the catalogue of concerns, its validity, and why a comment is
//! assigned as it is.
//!
//! It reads the shipped files and the store's own on top of them; a store is not required.

mod command;
mod learn;

pub use command::{Command, run};
