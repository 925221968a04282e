//! Applies changes: one transaction, statements prepared once.

use super::error::failed;
use super::{row, schema, turns};
use crate::domain::records::layout;
use crate::domain::records::record::{DecisionRecord, Stored};
use crate::ports::{IndexError, IndexUpdate, IndexedFeedback};
use crate::text::ids::CommitId;
use jiff::Timestamp;
use rusqlite::{CachedStatement, Connection, params};

/// How far a transaction goes.
pub enum Reaches<'a> {
    /// Up to this commit: its content is complete.
    Commit(&'a CommitId),
    /// Only part of the way to it.
    Towards(&'a CommitId),
}

/// Applies changes in one transaction.
pub fn apply(conn: &mut Connection, updates: &[IndexUpdate], reaches: Reaches<'_>) -> Result<(), IndexError> {
    let tx = conn.transaction().map_err(failed)?;
    {
        let mut writer = Writer::new(&tx).map_err(failed)?;
        for update in updates {
            writer.take(update)?;
        }
    }
    feedbackd_ports::fail_point!("index.written");
    match reaches {
        Reaches::Commit(to) => schema::set_state(&tx, Some(&to.0), None)?,
        Reaches::Towards(to) => {
            let from = schema::state(&tx)?.commit;
            schema::set_state(&tx, from.as_deref(), Some(&to.0))?;
        }
    }
    tx.commit().map_err(failed)
}

struct Writer<'c> {
    tx: &'c Connection,
    insert: CachedStatement<'c>,
    insert_words: CachedStatement<'c>,
    forget_words: CachedStatement<'c>,
    rivals: CachedStatement<'c>,
    comments: CachedStatement<'c>,
    delete: CachedStatement<'c>,
    update: CachedStatement<'c>,
    put_record: CachedStatement<'c>,
    drop_record: CachedStatement<'c>,
    put_unreadable: CachedStatement<'c>,
    drop_unreadable: CachedStatement<'c>,
    /// Whether the table of unreadable files may have rows; it almost never has.
    any_unreadable: bool,
    buffer: Vec<u8>,
}

/// A row with the id or the path of the one to be written.
struct Rival {
    row: i64,
    id: String,
    text: String,
}

impl<'c> Writer<'c> {
    fn new(tx: &'c Connection) -> rusqlite::Result<Writer<'c>> {
        Ok(Writer {
            tx,
            insert: tx.prepare_cached(
                "INSERT INTO feedback (id, path, decision_id, tenant, agent, gate, reviewer, verdict, second, nano,
                     text, demand, direction, class, confidence, cluster, edge_case, revision, session,
                     review_seconds, retracted, vector, crc, concern, probability, waived, judged, sentence,
                     task, repository, file, mark, corrects, comments, outright, shown)
                 VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22,?23,?24,?25,
                     ?26,?27,?28,?29,?30,?31,?32,?33,?34,?35,?36)
                 ON CONFLICT DO NOTHING",
            )?,
            insert_words: tx.prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?,
            forget_words: tx.prepare_cached("INSERT INTO words (words, rowid, text) VALUES ('delete', ?1, ?2)")?,
            rivals: tx.prepare_cached("SELECT row, id, text FROM feedback WHERE id = ?1 OR path = ?2")?,
            comments: tx.prepare_cached("SELECT row, id, text, path FROM feedback WHERE path > ?1 AND path < ?2")?,
            delete: tx.prepare_cached("DELETE FROM feedback WHERE row = ?1")?,
            update: tx.prepare_cached(
                "UPDATE feedback SET id=?1, path=?2, decision_id=?3, tenant=?4, agent=?5, gate=?6, reviewer=?7,
                     verdict=?8, second=?9, nano=?10, text=?11, demand=?12, direction=?13, class=?14, confidence=?15,
                     cluster=?16, edge_case=?17, revision=?18, session=?19, review_seconds=?20, retracted=?21, vector=?22,
                     crc=?23, concern=?24, probability=?25, waived=?26, judged=?27, sentence=?28,
                     task=?29, repository=?30, file=?31, mark=?32, corrects=?33, comments=?34, outright=?35, shown=?36
                 WHERE row = ?37",
            )?,
            put_record: tx.prepare_cached(
                "INSERT OR REPLACE INTO records (path, kind, open, rank, sub_rank, id, record, crc, subject)
                 VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
            )?,
            drop_record: tx.prepare_cached("DELETE FROM records WHERE path = ?1")?,
            put_unreadable: tx.prepare_cached("INSERT OR REPLACE INTO unreadable (path, message) VALUES (?1, ?2)")?,
            drop_unreadable: tx.prepare_cached("DELETE FROM unreadable WHERE path = ?1")?,
            any_unreadable: tx.query_row("SELECT EXISTS (SELECT 1 FROM unreadable)", [], |r| r.get(0))?,
            buffer: Vec::new(),
        })
    }

    fn take(&mut self, update: &IndexUpdate) -> Result<(), IndexError> {
        match update {
            IndexUpdate::Written { path, record, vector } => {
                self.readable(path)?;
                match record {
                    Stored::Decision(record) => {
                        let is_known = self.feedback(&IndexedFeedback::new(path, record, vector.clone()))?;
                        // A new decision cannot have stale comments.
                        if is_known && record.comment.is_none() { self.comments_gone(path, record) } else { Ok(()) }
                    }
                    record => self.record(path, record),
                }
            }
            IndexUpdate::Removed { path } => {
                self.readable(path)?;
                self.removed(path).map_err(failed)
            }
            IndexUpdate::Unreadable { path, message } => {
                self.any_unreadable = true;
                self.put_unreadable.execute(params![path, message]).map(drop).map_err(failed)
            }
        }
    }

    /// Removes comments that a decision no longer has: people edited its file.
    fn comments_gone(&mut self, path: &str, record: &DecisionRecord) -> Result<(), IndexError> {
        for (rival, at) in self.comments_of(path).map_err(failed)? {
            let (_, name) = layout::file_and_comment(&at);
            if !record.comments.iter().any(|comment| Some(comment.name()) == name) {
                self.forget(&rival).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Returns the rows of a decision's comments, with their paths.
    fn comments_of(&mut self, path: &str) -> rusqlite::Result<Vec<(Rival, String)>> {
        // Paths with `#` and a suffix: all between that and the next character.
        self.comments
            .query_map(params![format!("{path}#"), format!("{path}$")], |r| {
                Ok((Rival { row: r.get(0)?, id: r.get(1)?, text: r.get(2)? }, r.get(3)?))
            })?
            .collect()
    }

    /// Writes feedback. Most is new, so the first statement assumes that and looks for rivals only on conflict. Returns
    /// whether it was known before.
    fn feedback(&mut self, f: &IndexedFeedback) -> Result<bool, IndexError> {
        let vector = f.vector.as_ref().map(|v| v.to_bytes());
        let crc = row::checksum(f, vector.as_deref(), &mut self.buffer);
        let (second, nano) = time(f.timestamp);
        let (gate, verdict) = (f.gate.number(), row::verdict(f.verdict));
        let (direction, class) = (row::direction(f.direction), row::class(f.classification));
        // SQLite's integers are signed; the bits round-trip.
        let review_seconds = f.review_seconds.map(u64::cast_signed);
        let values = params![
            f.id,
            f.path,
            f.decision_id,
            f.tenant,
            f.agent,
            gate,
            f.reviewer,
            verdict,
            second,
            nano,
            f.text,
            f.demand,
            direction,
            class,
            f.confidence,
            f.cluster,
            f.edge_case,
            f.revision,
            f.session,
            review_seconds,
            f.retracted,
            vector,
            crc,
            f.voiced.as_ref().map(|v| v.concern.as_str()),
            f.voiced.as_ref().map(|v| v.probability),
            f.voiced.as_ref().is_some_and(|v| v.waived),
            f.judged,
            f.sentence,
            f.task,
            f.repository,
            f.file,
            f.mark.map(row::mark),
            f.corrects,
            f.comments,
            f.outright,
            f.voiced.as_ref().is_some_and(|v| v.shown)
        ];
        if self.insert.execute(values).map_err(failed)? == 1 {
            if !f.text.is_empty() {
                self.insert_words.execute(params![self.tx.last_insert_rowid(), f.text]).map_err(failed)?;
            }
            return Ok(false);
        }
        let mut same = None;
        let rivals = self.rivals_of(Some(&f.id), &f.path).map_err(failed)?;
        if rivals.is_empty() {
            return Err(IndexError::Stale("it is damaged (a row is in one lookup but not in another)".into()));
        }
        for rival in rivals {
            if rival.id == f.id {
                same = Some(rival);
            } else {
                self.forget(&rival).map_err(failed)?;
            }
        }
        let Some(same) = same else {
            // Another id was at this path; it is removed now, so this cannot recurse again.
            return self.feedback(f);
        };
        let mut with_row: Vec<&dyn rusqlite::ToSql> = values.to_vec();
        with_row.push(&same.row);
        self.update.execute(with_row.as_slice()).map_err(failed)?;
        if same.text != f.text {
            self.forget_text(&same).map_err(failed)?;
            if !f.text.is_empty() {
                self.insert_words.execute(params![same.row, f.text]).map_err(failed)?;
            }
        }
        Ok(true)
    }

    /// A turn also has a row in its own table (specification, "Turns: The index of turns").
    fn record(&mut self, path: &str, record: &Stored) -> Result<(), IndexError> {
        let json = record.json().map_err(|e| IndexError::Io(format!("{path}: {e}")))?;
        let (kind, row) = (record.kind() as i64, record.row(path));
        let crc = row::record_checksum(path, kind, row.open, &json);
        self.put_record
            .execute(params![path, kind, row.open, row.rank.0, row.rank.1, row.id, json, crc, row.subject])
            .map_err(failed)?;
        match record {
            Stored::Turn(r) => turns::put_turn(self.tx, &r.turn).map_err(failed),
            Stored::TurnMetadata(r) => turns::put_metadata(self.tx, r).map_err(failed),
            _ => Ok(()),
        }
    }

    fn removed(&mut self, path: &str) -> rusqlite::Result<()> {
        self.drop_record.execute([path])?;
        if path.starts_with(layout::TURNS) {
            turns::remove(self.tx, path)?;
        }
        for rival in self.rivals_of(None, path)? {
            self.forget(&rival)?;
        }
        if path.starts_with(layout::DECISIONS) {
            for (rival, _) in self.comments_of(path)? {
                self.forget(&rival)?;
            }
        }
        Ok(())
    }

    fn readable(&mut self, path: &str) -> Result<(), IndexError> {
        if self.any_unreadable {
            self.drop_unreadable.execute([path]).map_err(failed)?;
        }
        Ok(())
    }

    fn rivals_of(&mut self, id: Option<&str>, path: &str) -> rusqlite::Result<Vec<Rival>> {
        self.rivals
            .query_map(params![id, path], |r| Ok(Rival { row: r.get(0)?, id: r.get(1)?, text: r.get(2)? }))?
            .collect()
    }

    fn forget(&mut self, rival: &Rival) -> rusqlite::Result<()> {
        self.forget_text(rival)?;
        self.delete.execute([rival.row]).map(drop)
    }

    fn forget_text(&mut self, rival: &Rival) -> rusqlite::Result<()> {
        if rival.text.is_empty() {
            return Ok(());
        }
        self.forget_words.execute(params![rival.row, rival.text]).map(drop)
    }
}

fn time(at: Timestamp) -> (i64, i64) {
    (at.as_second(), i64::from(at.subsec_nanosecond()))
}
