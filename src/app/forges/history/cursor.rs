//! Progress of reading a repository.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How long after its last change a pull request is final: a forge writes whole seconds, and its clock may differ from
/// ours. One read sooner is read once more.
const SETTLED: i64 = 60;

/// Progress of reading a repository: all pull requests changed before `at` are read, and those named at that moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cursor {
    /// Nothing said before this is read.
    pub since: Timestamp,
    pub at: Timestamp,
    pub done: BTreeSet<String>,
    /// The etag of the list's first page, once the whole list was read.
    #[serde(default)]
    pub etag: Option<String>,
    /// What was read so far, and what was left out.
    #[serde(default)]
    pub noted: SkippedNote,
}

/// What a note lists as left out of a repository's history. A pull request that was read again counts again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedNote {
    /// `owner/name`
    pub repository: String,
    /// Counts by reason.
    pub left_out: BTreeMap<String, u64>,
}

impl SkippedNote {
    /// Parses a note; `None` if it is unreadable or predates these fields.
    pub fn of(text: &str) -> Option<SkippedNote> {
        Cursor::of(Some(text)).map(|cursor| cursor.noted).filter(|noted| !noted.repository.is_empty())
    }
}

impl Cursor {
    /// The initial cursor.
    pub fn from(since: Timestamp) -> Cursor {
        Cursor { since, at: since, done: BTreeSet::new(), etag: None, noted: SkippedNote::default() }
    }

    /// Parses a note, if readable.
    pub fn of(text: Option<&str>) -> Option<Cursor> {
        serde_json::from_str(text?).ok()
    }

    /// Parses a note, if it covers everything from `since` on.
    pub fn noted(text: Option<&str>, since: Timestamp) -> Cursor {
        Cursor::of(text).filter(|cursor| cursor.since <= since).unwrap_or_else(|| Cursor::from(since))
    }

    /// Reports whether a pull request still has to be read.
    pub fn wants(&self, number: &str, updated: Timestamp) -> bool {
        updated > self.at || updated == self.at && !self.done.contains(number)
    }

    /// Records a pull request as read; they come in order of last change.
    pub fn advance(&mut self, number: &str, updated: Timestamp, now: Timestamp) {
        if updated > self.at {
            self.at = updated;
            self.done.clear();
        }
        if now.as_second().saturating_sub(updated.as_second()) >= SETTLED {
            self.done.insert(number.to_owned());
        }
        self.etag = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn nothing_that_changed_is_left_out_and_nothing_else_is_read_again() {
        let mut cursor = Cursor::from(at(100));
        assert!(cursor.wants("1", at(100)) && !cursor.wants("1", at(99)));
        cursor.advance("1", at(200), at(1_000));
        cursor.advance("2", at(200), at(1_000));
        assert!(!cursor.wants("1", at(200)) && !cursor.wants("2", at(200)));
        assert!(cursor.wants("3", at(200)) && cursor.wants("1", at(201)) && !cursor.wants("3", at(199)));
        // It may change again within the same second.
        cursor.advance("4", at(990), at(1_000));
        assert!(cursor.wants("4", at(990)));
    }

    #[test]
    fn a_note_counts_where_it_covers_what_is_asked_for() {
        let mut noted = Cursor::from(at(100));
        noted.advance("1", at(200), at(1_000));
        let text = serde_json::to_string(&noted).unwrap();
        assert_eq!(Cursor::noted(Some(&text), at(150)), noted);
        assert_eq!(Cursor::noted(Some(&text), at(50)), Cursor::from(at(50)));
        assert_eq!(Cursor::noted(Some("cut o"), at(50)), Cursor::from(at(50)));
        assert_eq!(Cursor::noted(None, at(50)), Cursor::from(at(50)));
    }
}
