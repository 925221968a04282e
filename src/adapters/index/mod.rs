//! The index in SQLite: look-ups, full text and vectors, all derived from the store.
//!
//! It may be deleted at any time. It says which commit it reflects, in the same transaction as the content, so that it
//! never claims a commit it does not have; write-ahead logging with `synchronous=NORMAL` may lose the last
//! transactions in a power cut, never a part of one. Every row carries a checksum: what comes out is what went in, or
//! an error that says that the index must be made again. It does not know the store, and it does not embed.

#![allow(clippy::disallowed_types, reason = "this is the adapter that owns SQLite")]

mod files;
mod read;
mod row;
mod schema;
mod turns;
mod write;

pub use files::SqliteFiles;

use crate::domain::channels::turn::TurnRow;
use crate::domain::ids::CommitId;
use crate::domain::records::record::{Stored, StoredKind};
use crate::ports::{
    Counts, FeedbackFilter, Index, IndexError, IndexUpdate, IndexedFeedback, Order, Outcome, OutcomeQuery, Submitted,
};
use rusqlite::{Connection, ErrorCode};
use std::fs::File;

/// What the content depends on besides the store. A change of any of it makes an index stale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// [`crate::ports::Embedder::id`]: the vectors are its.
    pub embedder: String,
    /// The version of the store's layout, as the caller counts it: the paths are its.
    pub layout: u32,
}

/// The index, open.
pub struct SqliteIndex {
    conn: Connection,
    /// Held by the writer as long as it lives; `None` for readers and private copies.
    _lock: Option<File>,
}

impl Index for SqliteIndex {
    fn commit(&self) -> Result<Option<CommitId>, IndexError> {
        Ok(schema::state(&self.conn)?.commit.map(CommitId))
    }

    fn apply(&mut self, updates: &[IndexUpdate], commit: &CommitId) -> Result<(), IndexError> {
        write::apply(&mut self.conn, updates, write::Reaches::Commit(commit))
    }

    fn stage(&mut self, updates: &[IndexUpdate], towards: &CommitId) -> Result<(), IndexError> {
        write::apply(&mut self.conn, updates, write::Reaches::Towards(towards))
    }

    fn staged(&self) -> Result<Option<CommitId>, IndexError> {
        Ok(schema::state(&self.conn)?.staged.map(CommitId))
    }

    fn each_feedback(&self, visit: &mut dyn FnMut(IndexedFeedback)) -> Result<(), IndexError> {
        read::each_feedback(&self.conn, visit)
    }

    fn feedback(&self, id: &str) -> Result<Option<IndexedFeedback>, IndexError> {
        read::feedback(&self.conn, id)
    }

    fn list(&self, filter: &FeedbackFilter) -> Result<Vec<IndexedFeedback>, IndexError> {
        read::list(&self.conn, filter)
    }

    fn outcomes(&self, query: &OutcomeQuery) -> Result<Vec<Outcome>, IndexError> {
        read::outcomes(&self.conn, query)
    }

    fn search(&self, words: &str, limit: usize) -> Result<Vec<IndexedFeedback>, IndexError> {
        read::search(&self.conn, words, limit)
    }

    fn each_record(
        &self,
        kind: StoredKind,
        order: Order,
        visit: &mut dyn FnMut(String, Stored),
    ) -> Result<(), IndexError> {
        read::each_record(&self.conn, kind, order, visit)
    }

    fn submitted(&self) -> Result<Submitted, IndexError> {
        let ids = |kind| read::ids(&self.conn, kind);
        let advice = read::asked(&self.conn)?;
        Ok(Submitted { reviews: ids(StoredKind::Review)?, injections: ids(StoredKind::Injection)?, advice })
    }

    fn any_held_out(&self) -> Result<bool, IndexError> {
        read::any_open(&self.conn, StoredKind::Injection)
    }

    fn turns(&self, limit: usize) -> Result<Vec<TurnRow>, IndexError> {
        turns::list(&self.conn, limit)
    }

    fn unreadable(&self) -> Result<Vec<(String, String)>, IndexError> {
        read::unreadable(&self.conn)
    }

    fn counts(&self) -> Result<Counts, IndexError> {
        read::counts(&self.conn)
    }
}

/// Damage means that the index must be made again; everything else is the disk's or another process's doing.
fn failed(error: rusqlite::Error) -> IndexError {
    use rusqlite::Error as E;
    let damaged = match &error {
        E::SqliteFailure(e, _) => match e.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => true,
            // The statements are fixed and their values are checked: where one fails, the tables are not ours.
            ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch => true,
            _ => e.extended_code == rusqlite::ffi::SQLITE_ERROR,
        },
        E::SqlInputError { .. } | E::FromSqlConversionFailure(..) | E::IntegralValueOutOfRange(..) => true,
        E::InvalidColumnType(..) | E::Utf8Error(..) => true,
        _ => false,
    };
    if damaged { IndexError::Stale(format!("it is damaged ({error})")) } else { IndexError::Io(error.to_string()) }
}
