//! An open index: each look-up is answered by the file that knows its rows.

use super::{read, schema, turns, write};
use crate::domain::channels::turn::TurnRow;
use crate::domain::records::record::{Stored, StoredKind};
use crate::ports::{
    Counts, FeedbackFilter, Index, IndexError, IndexUpdate, IndexedFeedback, IndexedSubmissions, Order, Outcome,
    OutcomeQuery, TurnQuery, Which,
};
use crate::text::ids::CommitId;
use rusqlite::Connection;
use std::fs::File;
use std::ops::ControlFlow;

/// An open index.
pub struct SqliteIndex {
    pub(super) conn: Connection,
    /// Held by the writer until dropped; `None` for readers and private copies.
    pub(super) _lock: Option<File>,
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

    fn find_records(
        &self,
        kind: StoredKind,
        which: Which<'_>,
        order: Order,
        visit: &mut dyn FnMut(String, Stored) -> ControlFlow<()>,
    ) -> Result<(), IndexError> {
        read::find_records(&self.conn, kind, which, order, visit)
    }

    fn count_about(&self, kind: StoredKind, subject: &str) -> Result<u64, IndexError> {
        read::count_about(&self.conn, kind, subject)
    }

    fn record_ids(&self, kind: StoredKind) -> Result<Vec<String>, IndexError> {
        read::record_ids(&self.conn, kind)
    }

    fn submitted(&self) -> Result<IndexedSubmissions, IndexError> {
        let ids = |kind| read::ids(&self.conn, kind);
        let (advice, readings) = (read::asked(&self.conn)?, read::readings(&self.conn)?);
        Ok(IndexedSubmissions {
            reviews: ids(StoredKind::Review)?,
            injections: ids(StoredKind::Injection)?,
            follow_ups: ids(StoredKind::FollowUp)?,
            advice,
            readings,
        })
    }

    fn any_held_out(&self) -> Result<bool, IndexError> {
        read::any_open(&self.conn, StoredKind::Injection)
    }

    fn turns(&self, query: &TurnQuery<'_>) -> Result<Vec<TurnRow>, IndexError> {
        turns::list(&self.conn, query)
    }

    fn sessions(&self) -> Result<Vec<String>, IndexError> {
        turns::sessions(&self.conn)
    }

    fn unreadable(&self) -> Result<Vec<(String, String)>, IndexError> {
        read::unreadable(&self.conn)
    }

    fn counts(&self) -> Result<Counts, IndexError> {
        read::counts(&self.conn)
    }
}
