//! The index in SQLite: look-ups, full text and vectors, all derived from the store.
//!
//! It may be deleted at any time. It records which commit it reflects in the same transaction as the content, so it
//! never claims a commit it does not have. Write-ahead logging with `synchronous=NORMAL` may lose the last transactions
//! in a power cut, never a part of one. Every row carries a checksum: a read returns what was written, or an error that
//! the index must be rebuilt. It does not know the store, and it does not embed.

#![allow(clippy::disallowed_types, reason = "this is the adapter that owns SQLite")]

mod error;
mod files;
mod read;
mod row;
mod schema;
mod sqlite;
mod turns;
mod write;

pub use files::SqliteFiles;
pub use schema::IndexOrigin;
pub use sqlite::SqliteIndex;
