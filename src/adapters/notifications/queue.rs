//! The notification queue, in its own database in the state directory: durable before anything is sent, shared by the
//! threads that fill and empty it.

use crate::domain::records::notification::Notification;
use crate::ports::{EndpointState, NotificationQueue, PendingNotification, QueueError};
use crate::text::ids::CommitId;
use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use std::path::Path;
use std::time::Duration;

/// How long one thread waits for another.
const BUSY: Duration = Duration::from_secs(10);
/// Maximum notifications per batch: a digest lists these and omits the rest.
const MOST: i64 = 500;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS position (one INTEGER PRIMARY KEY CHECK (one = 1), hash TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS waiting (
  number INTEGER PRIMARY KEY AUTOINCREMENT, endpoint TEXT NOT NULL, id TEXT NOT NULL, batch TEXT NOT NULL,
  due INTEGER NOT NULL, attempts INTEGER NOT NULL, since INTEGER NOT NULL, notice TEXT NOT NULL, UNIQUE (endpoint, id));
CREATE INDEX IF NOT EXISTS waiting_due ON waiting (endpoint, due);
CREATE TABLE IF NOT EXISTS endpoint (
  name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, disabled INTEGER, held INTEGER, delivered INTEGER, failed INTEGER,
  why TEXT);
";

/// An open queue.
pub struct SqliteQueue {
    conn: Connection,
}

impl SqliteQueue {
    /// Opens the queue, creating it if necessary.
    ///
    /// # Errors
    /// If the file cannot be created or is not a queue.
    pub fn open(path: &Path) -> Result<SqliteQueue, QueueError> {
        let conn = Connection::open(path).map_err(failed)?;
        conn.busy_timeout(BUSY).map_err(failed)?;
        conn.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        // What was delivered or queued must not be forgotten, whatever happens to the machine.
        conn.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        conn.execute_batch(SCHEMA).map_err(failed)?;
        Ok(SqliteQueue { conn })
    }

    /// Opens the queue for viewing; `None` if there is none.
    ///
    /// # Errors
    /// If the file cannot be read or is not a queue.
    pub fn look(path: &Path) -> Result<Option<SqliteQueue>, QueueError> {
        if !path.exists() {
            return Ok(None);
        }
        let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed)?;
        conn.busy_timeout(BUSY).map_err(failed)?;
        Ok(Some(SqliteQueue { conn }))
    }

    /// Drops the notifications that contain something to be purged; returns how many.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn remove(&mut self, is_it: &dyn Fn(&str) -> bool) -> Result<usize, QueueError> {
        let all: Vec<(i64, String)> = {
            let mut rows = self.conn.prepare("SELECT number, notice FROM waiting").map_err(failed)?;
            let found = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(failed)?;
            found.collect::<Result<_, _>>().map_err(failed)?
        };
        let gone: Vec<i64> = all.into_iter().filter(|(_, text)| is_it(text)).map(|(number, _)| number).collect();
        for number in &gone {
            self.conn.execute("DELETE FROM waiting WHERE number = ?1", [number]).map_err(failed)?;
        }
        if !gone.is_empty() {
            // Leaves nothing of it in the file's free pages or in its log.
            self.conn.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);").map_err(failed)?;
        }
        Ok(gone.len())
    }
}

impl NotificationQueue for SqliteQueue {
    fn position(&self) -> Result<Option<CommitId>, QueueError> {
        let found = self.conn.query_row("SELECT hash FROM position", [], |row| row.get(0)).optional();
        Ok(found.map_err(failed)?.map(CommitId))
    }

    fn queue(&mut self, waiting: &[PendingNotification], to: &CommitId, max: u64) -> Result<u64, QueueError> {
        let step = self.conn.transaction().map_err(failed)?;
        let mut dropped = 0;
        for one in waiting {
            let notice = serde_json::to_string(&one.notice).map_err(|error| QueueError(error.to_string()))?;
            step.execute(
                "INSERT INTO waiting (endpoint, id, batch, due, attempts, since, notice) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT DO NOTHING",
                params![
                    one.endpoint,
                    one.notice.id,
                    one.batch,
                    one.due.as_millisecond(),
                    one.attempts,
                    one.since.as_millisecond(),
                    notice
                ],
            )
            .map_err(failed)?;
        }
        let mut named: Vec<&str> = waiting.iter().map(|one| one.endpoint.as_str()).collect();
        named.sort_unstable();
        named.dedup();
        for endpoint in named {
            dropped += step
                .execute(
                    "DELETE FROM waiting WHERE number IN (SELECT number FROM waiting WHERE endpoint = ?1
                     ORDER BY number DESC LIMIT -1 OFFSET ?2)",
                    params![endpoint, i64::try_from(max).unwrap_or(i64::MAX)],
                )
                .map_err(failed)?;
        }
        step.execute("INSERT OR REPLACE INTO position (one, hash) VALUES (1, ?1)", [&to.0]).map_err(failed)?;
        step.commit().map_err(failed)?;
        Ok(dropped as u64)
    }

    fn keep(&mut self, endpoints: &[(String, String)]) -> Result<(), QueueError> {
        let step = self.conn.transaction().map_err(failed)?;
        for (name, fingerprint) in endpoints {
            step.execute(
                "INSERT INTO endpoint (name, fingerprint) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET
                 disabled = CASE WHEN fingerprint = ?2 THEN disabled END, held = CASE WHEN fingerprint = ?2 THEN held END,
                 fingerprint = ?2",
                params![name, fingerprint],
            )
            .map_err(failed)?;
        }
        let names: Vec<&String> = endpoints.iter().map(|(name, _)| name).collect();
        let names = serde_json::to_string(&names).map_err(|error| QueueError(error.to_string()))?;
        step.execute("DELETE FROM endpoint WHERE name NOT IN (SELECT value FROM json_each(?1))", [&names])
            .map_err(failed)?;
        step.execute("DELETE FROM waiting WHERE endpoint NOT IN (SELECT value FROM json_each(?1))", [&names])
            .map_err(failed)?;
        step.commit().map_err(failed)
    }

    fn due(&self, endpoint: &str, now: Timestamp) -> Result<Vec<PendingNotification>, QueueError> {
        let at = now.as_millisecond();
        let closed = "SELECT 1 FROM endpoint WHERE name = ?1 AND (disabled IS NOT NULL OR held > ?2)";
        if self.conn.query_row(closed, params![endpoint, at], |_| Ok(())).optional().map_err(failed)?.is_some() {
            return Ok(Vec::new());
        }
        let mut rows = self
            .conn
            .prepare_cached(
                "SELECT endpoint, batch, due, attempts, since, notice FROM waiting WHERE endpoint = ?1 AND batch =
                 (SELECT batch FROM waiting WHERE endpoint = ?1 AND due <= ?2 ORDER BY due, number LIMIT 1)
                 ORDER BY number LIMIT ?3",
            )
            .map_err(failed)?;
        let found = rows.query_map(params![endpoint, at, MOST], read).map_err(failed)?;
        let found: Vec<Option<PendingNotification>> = found.collect::<Result<_, _>>().map_err(failed)?;
        Ok(found.into_iter().flatten().collect())
    }

    fn delivered(&mut self, endpoint: &str, batch: &str, now: Timestamp) -> Result<(), QueueError> {
        let step = self.conn.transaction().map_err(failed)?;
        step.execute("DELETE FROM waiting WHERE endpoint = ?1 AND batch = ?2", [endpoint, batch]).map_err(failed)?;
        step.execute(
            "UPDATE endpoint SET delivered = ?2, held = NULL, disabled = NULL WHERE name = ?1",
            params![endpoint, now.as_millisecond()],
        )
        .map_err(failed)?;
        step.commit().map_err(failed)
    }

    fn failed(
        &mut self,
        endpoint: &str,
        batch: &str,
        now: Timestamp,
        why: &str,
        again: Option<Timestamp>,
        hold: Option<Timestamp>,
    ) -> Result<(), QueueError> {
        let step = self.conn.transaction().map_err(failed)?;
        let at = now.as_millisecond();
        match again {
            // The day is counted from the first attempt.
            Some(again) => step.execute(
                "UPDATE waiting SET due = ?3, since = CASE attempts WHEN 0 THEN ?4 ELSE since END, attempts = attempts + 1
                 WHERE endpoint = ?1 AND batch = ?2",
                params![endpoint, batch, again.as_millisecond(), at],
            ),
            None => step.execute("DELETE FROM waiting WHERE endpoint = ?1 AND batch = ?2", [endpoint, batch]),
        }
        .map_err(failed)?;
        step.execute(
            "UPDATE endpoint SET failed = ?2, why = ?3, held = ?4 WHERE name = ?1",
            params![endpoint, at, why, hold.map(Timestamp::as_millisecond)],
        )
        .map_err(failed)?;
        step.commit().map_err(failed)
    }

    fn disable(&mut self, endpoint: &str, now: Timestamp) -> Result<u64, QueueError> {
        let step = self.conn.transaction().map_err(failed)?;
        let dropped = step.execute("DELETE FROM waiting WHERE endpoint = ?1", [endpoint]).map_err(failed)?;
        step.execute("UPDATE endpoint SET disabled = ?2 WHERE name = ?1", params![endpoint, now.as_millisecond()])
            .map_err(failed)?;
        step.commit().map_err(failed)?;
        Ok(dropped as u64)
    }

    fn endpoints(&self) -> Result<Vec<EndpointState>, QueueError> {
        let mut rows = self
            .conn
            .prepare_cached(
                "SELECT name, (SELECT count(*) FROM waiting WHERE waiting.endpoint = name), disabled, held, delivered, failed,
                 why FROM endpoint ORDER BY name",
            )
            .map_err(failed)?;
        let found = rows
            .query_map([], |row| {
                let failed: Option<Timestamp> = moment(row, 5)?;
                let why: Option<String> = row.get(6)?;
                Ok(EndpointState {
                    name: row.get(0)?,
                    waiting: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
                    disabled_at: moment(row, 2)?,
                    held_until: moment(row, 3)?,
                    delivered_at: moment(row, 4)?,
                    failed: failed.map(|at| (at, why.unwrap_or_default())),
                })
            })
            .map_err(failed)?;
        found.collect::<Result<_, _>>().map_err(failed)
    }
}

/// Reads a pending notification; `None` if another version wrote it in a different form.
fn read(row: &Row<'_>) -> rusqlite::Result<Option<PendingNotification>> {
    let text: String = row.get(5)?;
    let (Ok(notice), Some(due), Some(since)) =
        (serde_json::from_str::<Notification>(&text), moment(row, 2)?, moment(row, 4)?)
    else {
        return Ok(None);
    };
    Ok(Some(PendingNotification {
        endpoint: row.get(0)?,
        batch: row.get(1)?,
        due,
        attempts: row.get(3)?,
        since,
        notice,
    }))
}

fn moment(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let at: Option<i64> = row.get(column)?;
    Ok(at.and_then(|at| Timestamp::from_millisecond(at).ok()))
}

fn failed(error: rusqlite::Error) -> QueueError {
    QueueError(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(endpoint: &str, n: i64) -> PendingNotification {
        let at = Timestamp::from_second(1_768_000_000 + n).unwrap();
        let notice = Notification::test(&format!("{endpoint}{n}"), at);
        let batch = notice.id.clone();
        PendingNotification { endpoint: endpoint.into(), batch, due: at, attempts: 0, since: at, notice }
    }

    #[test]
    fn what_waits_survives_and_no_more_waits_than_may() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notices.sqlite");
        let commit = CommitId("a".repeat(40));
        let all: Vec<PendingNotification> = (0..5).map(|n| waiting("ops", n)).chain([waiting("other", 9)]).collect();
        let later = Timestamp::from_second(1_768_000_100).unwrap();
        {
            let mut queue = SqliteQueue::open(&path).unwrap();
            assert_eq!(queue.position().unwrap(), None);
            queue.keep(&[("ops".into(), "1".into()), ("other".into(), "1".into())]).unwrap();
            assert_eq!(queue.queue(&all, &commit, 3).unwrap(), 2, "the oldest are dropped");
            assert_eq!(queue.queue(&all[4..], &commit, 3).unwrap(), 0, "what waits is not queued again");
        }
        let mut queue = SqliteQueue::open(&path).unwrap();
        assert_eq!(queue.position().unwrap(), Some(commit));
        assert_eq!(queue.due("ops", later).unwrap(), [all[2].clone()]);
        assert_eq!(queue.due("ops", all[1].due).unwrap(), []);
        queue.failed("ops", &all[2].batch, later, "no", Some(later), Some(later)).unwrap();
        assert_eq!(queue.due("ops", all[4].due).unwrap(), [], "the endpoint is held");
        assert_eq!(queue.due("ops", later).unwrap(), [all[3].clone()]);
        queue.delivered("ops", &all[3].batch, later).unwrap();
        queue.delivered("ops", &all[4].batch, later).unwrap();
        let again = queue.due("ops", later).unwrap();
        assert_eq!((again[0].attempts, again[0].since, &again[0].notice), (1, later, &all[2].notice));
        assert_eq!(queue.disable("ops", later).unwrap(), 1);
        let state = queue.endpoints().unwrap().remove(0);
        assert_eq!((state.waiting, state.disabled_at, state.failed), (0, Some(later), Some((later, "no".into()))));
        queue.keep(&[("ops".into(), "1".into())]).unwrap();
        let states = queue.endpoints().unwrap();
        assert_eq!((states.len(), states[0].disabled_at), (1, Some(later)), "the same one stays disabled");
        queue.keep(&[("ops".into(), "2".into())]).unwrap();
        assert_eq!(queue.endpoints().unwrap()[0].disabled_at, None, "another one under its name is not");
        queue.queue(&all[..2], &CommitId("b".repeat(40)), 9).unwrap();
        assert_eq!(queue.remove(&|text| text.contains(&all[0].notice.subject)).unwrap(), 1);
        assert_eq!(queue.endpoints().unwrap()[0].waiting, 1);
    }
}
