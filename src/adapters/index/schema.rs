//! The tables, and the one row that states what the index reflects.

use super::error::failed;
use super::turns;
use crate::ports::IndexError;
use rusqlite::{Connection, OptionalExtension, params};

/// Incremented with every change to the tables or their content.
const VERSION: u32 = 11;

/// Times are two columns, seconds and nanoseconds, as a single integer cannot represent every moment.
///
/// `words` is an external-content table: it holds only the word lists and takes the text from `feedback`.
const TABLES: &str = "
CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL,
    layout INTEGER NOT NULL,
    embedder TEXT NOT NULL,
    reflects TEXT,
    staged TEXT,
    crc INTEGER NOT NULL
);
CREATE TABLE feedback (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL UNIQUE,
    decision_id TEXT NOT NULL,
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    gate INTEGER NOT NULL,
    reviewer TEXT NOT NULL,
    verdict INTEGER NOT NULL,
    second INTEGER NOT NULL,
    nano INTEGER NOT NULL,
    text TEXT NOT NULL,
    demand INTEGER NOT NULL,
    direction INTEGER NOT NULL,
    concern TEXT,
    probability REAL,
    waived INTEGER NOT NULL,
    class INTEGER NOT NULL,
    confidence REAL NOT NULL,
    cluster TEXT,
    edge_case TEXT,
    revision INTEGER NOT NULL,
    session TEXT,
    review_seconds INTEGER,
    retracted INTEGER NOT NULL,
    judged INTEGER NOT NULL,
    sentence TEXT,
    task TEXT,
    repository TEXT,
    file TEXT,
    mark INTEGER,
    corrects INTEGER NOT NULL,
    outright INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    comments INTEGER NOT NULL,
    vector BLOB,
    crc INTEGER NOT NULL
);
CREATE INDEX feedback_time ON feedback (second, nano, id);
CREATE INDEX feedback_agent ON feedback (agent, second, nano, id);
CREATE INDEX feedback_cluster ON feedback (cluster, second, nano) WHERE cluster IS NOT NULL;
CREATE INDEX feedback_class ON feedback (class);
CREATE VIRTUAL TABLE words USING fts5 (
    text, content = 'feedback', content_rowid = 'row', tokenize = 'porter unicode61', columnsize = 0
);
CREATE TABLE records (
    path TEXT PRIMARY KEY,
    kind INTEGER NOT NULL,
    open INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    sub_rank INTEGER NOT NULL,
    id TEXT NOT NULL,
    subject TEXT,
    record TEXT NOT NULL,
    crc INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX records_kind ON records (kind, open);
CREATE INDEX records_id ON records (kind, id);
CREATE INDEX records_subject ON records (kind, subject, rank, sub_rank, id) WHERE subject IS NOT NULL;
CREATE TABLE unreadable (
    path TEXT PRIMARY KEY,
    message TEXT NOT NULL
) WITHOUT ROWID;
";

/// What the content depends on besides the store. Any change makes an index stale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOrigin {
    /// [`crate::ports::Embedder::id`] of the vectors' embedder. Empty if vectors are not used: then any will do.
    pub embedder: String,
    /// The version of the store's layout, which determines the paths, as counted by the caller.
    pub layout: u32,
}

impl IndexOrigin {
    /// For callers that only read lists and do not care about the vectors.
    pub fn with_any_embedder(layout: u32) -> IndexOrigin {
        IndexOrigin { embedder: String::new(), layout }
    }
}

/// What the index reflects.
pub struct State {
    /// The commit whose content it holds.
    pub commit: Option<String>,
    /// The commit it was being updated to when stopped.
    pub staged: Option<String>,
}

/// Creates the tables in an empty database.
pub fn create(conn: &Connection, made: &IndexOrigin) -> Result<(), IndexError> {
    let tx = conn.unchecked_transaction().map_err(failed)?;
    tx.execute_batch(TABLES).map_err(failed)?;
    turns::create(&tx).map_err(failed)?;
    tx.execute(
        "INSERT INTO state (one, version, layout, embedder, crc) VALUES (1, ?1, ?2, ?3, ?4)",
        params![VERSION, made.layout, made.embedder, crc(VERSION, made, None, None)],
    )
    .map_err(failed)?;
    tx.commit().map_err(failed)
}

/// Rejects an index that was built differently than this one would be.
pub fn check(conn: &Connection, made: &IndexOrigin) -> Result<(), IndexError> {
    let (version, found, ..) = row(conn)?;
    let stale = |what: &str, found: &dyn std::fmt::Display, wanted: &dyn std::fmt::Display| {
        Err(IndexError::Stale(format!("it was built with {what} {found}, this is {wanted}")))
    };
    if version != VERSION {
        return stale("version", &version, &VERSION);
    }
    if found.layout != made.layout {
        return stale("store layout", &found.layout, &made.layout);
    }
    if !made.embedder.is_empty() && found.embedder != made.embedder {
        return stale("embedder", &found.embedder, &made.embedder);
    }
    Ok(())
}

/// Reads what it reflects.
pub fn state(conn: &Connection) -> Result<State, IndexError> {
    let (_, _, commit, staged) = row(conn)?;
    Ok(State { commit, staged })
}

/// Writes what it reflects, within the caller's transaction.
pub fn set_state(conn: &Connection, commit: Option<&str>, staged: Option<&str>) -> Result<(), IndexError> {
    let (version, made, ..) = row(conn)?;
    conn.prepare_cached("UPDATE state SET reflects = ?1, staged = ?2, crc = ?3 WHERE one = 1")
        .and_then(|mut s| s.execute(params![commit, staged, crc(version, &made, commit, staged)]))
        .map_err(failed)?;
    Ok(())
}

type Row = (u32, IndexOrigin, Option<String>, Option<String>);

fn row(conn: &Connection) -> Result<Row, IndexError> {
    let read = conn
        .prepare_cached("SELECT version, layout, embedder, reflects, staged, crc FROM state WHERE one = 1")
        .and_then(|mut s| {
            s.query_row([], |r| {
                Ok((
                    r.get(0)?,
                    IndexOrigin { layout: r.get(1)?, embedder: r.get(2)? },
                    r.get::<_, Option<String>>(3)?,
                    r.get::<_, Option<String>>(4)?,
                    r.get::<_, u32>(5)?,
                ))
            })
            .optional()
        });
    let (version, made, commit, staged, sum) = match read {
        Ok(Some(row)) => row,
        Ok(None) => return Err(IndexError::Stale("it does not say which commit it reflects".into())),
        Err(e) => return Err(failed(e)),
    };
    if sum != crc(version, &made, commit.as_deref(), staged.as_deref()) {
        return Err(IndexError::Stale("it is damaged (the checksum of its state does not match)".into()));
    }
    Ok((version, made, commit, staged))
}

fn crc(version: u32, made: &IndexOrigin, commit: Option<&str>, staged: Option<&str>) -> u32 {
    libdeflater::crc32(format!("{version} {} {:?} {commit:?} {staged:?}", made.layout, made.embedder).as_bytes())
}
