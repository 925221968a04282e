//! Look-ups. Every row is compared with its checksum before it is used.

use super::error::failed;
use super::row::{self, COLUMNS, at_most};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::feedback::whole_id;
use crate::domain::records::record::{AdviceKind, Stored, StoredKind, Tokens};
use crate::ports::{
    Counts, FeedbackFilter, IndexError, IndexedFeedback, IndexedQuestion, Order, Outcome, OutcomeQuery, Which,
};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::ops::ControlFlow;

/// Visits all feedback ordered by time, then id, one at a time.
pub fn each_feedback(conn: &Connection, visit: &mut dyn FnMut(IndexedFeedback)) -> Result<(), IndexError> {
    let mut last: Option<(Timestamp, String)> = None;
    let sql = format!("SELECT {COLUMNS} FROM feedback f ORDER BY f.second, f.nano, f.id");
    for_each(conn, &sql, vec![], &mut |f| {
        // The order comes from a look-up table that has no checksum of its own.
        let key = (f.timestamp, f.id.clone());
        if last.as_ref().is_some_and(|l| *l >= key) {
            return Err(row::damaged(&f.id));
        }
        last = Some(key);
        visit(f);
        Ok(())
    })
}

/// Returns one feedback by its id.
pub fn feedback(conn: &Connection, id: &str) -> Result<Option<IndexedFeedback>, IndexError> {
    let sql = format!("SELECT {COLUMNS} FROM feedback f WHERE f.id = ?1");
    Ok(collect(conn, &sql, vec![id.to_owned().into()])?.pop())
}

/// Returns feedback that passes the filter, latest first.
pub fn list(conn: &Connection, filter: &FeedbackFilter) -> Result<Vec<IndexedFeedback>, IndexError> {
    let mut conditions: Vec<&str> = vec![];
    let mut values: Vec<Value> = vec![];
    let mut only = |condition: &'static str, value: Option<Value>| {
        if let Some(value) = value {
            conditions.push(condition);
            values.push(value);
        }
    };
    only("f.tenant = ?", filter.tenant.clone().map(Value::from));
    only("f.agent = ?", filter.agent.clone().map(Value::from));
    only("f.gate = ?", filter.gate.map(|g| i64::from(g.number()).into()));
    only("f.reviewer = ?", filter.reviewer.clone().map(Value::from));
    only("f.class = ?", filter.classification.map(|c| row::class(c).into()));
    only("f.cluster = ?", filter.cluster.clone().map(Value::from));
    if let Some(since) = filter.since {
        conditions.push("(f.second, f.nano) >= (?, ?)");
        values.push(since.as_second().into());
        values.push(i64::from(since.subsec_nanosecond()).into());
    }
    let wanted = if conditions.is_empty() { "1".to_owned() } else { conditions.join(" AND ") };
    values.push(at_most(filter.limit).into());
    let sql = format!(
        "SELECT {COLUMNS} FROM feedback f WHERE {wanted} ORDER BY f.second DESC, f.nano DESC, f.id DESC LIMIT ?"
    );
    collect(conn, &sql, values)
}

/// Returns the decisions of one agent in order of time, or reversed. A decision's comments follow it (or precede it):
/// they share its time, and `#` sorts before any character allowed in an id.
pub fn outcomes(conn: &Connection, query: &OutcomeQuery) -> Result<Vec<Outcome>, IndexError> {
    let mut conditions = vec!["f.agent = ?".to_owned(), "f.tenant = ?".to_owned(), "f.retracted = 0".to_owned()];
    let mut values: Vec<Value> = vec![query.agent.clone().into(), query.tenant.clone().into()];
    for (moment, condition) in
        [(query.since, "(f.second, f.nano) >= (?, ?)"), (query.until, "(f.second, f.nano) < (?, ?)")]
    {
        if let Some(at) = moment {
            conditions.push(condition.to_owned());
            values.push(at.as_second().into());
            values.push(i64::from(at.subsec_nanosecond()).into());
        }
    }
    if !query.gates.is_empty() {
        conditions.push(format!("f.gate IN ({})", vec!["?"; query.gates.len()].join(", ")));
        values.extend(query.gates.iter().map(|g| Value::from(i64::from(g.number()))));
    }
    // Selects comments whose decision is within the limit.
    let order = if query.latest_first { "DESC" } else { "ASC" };
    let wanted = conditions.join(" AND ");
    if query.limit > 0 {
        let at = format!(
            "SELECT f.second, f.nano FROM feedback f INDEXED BY feedback_agent WHERE {wanted} AND instr(f.id, '#') = 0 \
             ORDER BY f.second {order}, f.nano {order}, f.id {order} LIMIT 1 OFFSET ?"
        );
        let mut offset = values.clone();
        offset.push(at_most(query.limit - 1).into());
        let mut statement = conn.prepare_cached(&at).map_err(failed)?;
        let last = statement
            .query_row(params_from_iter(offset), |r| Ok((r.get::<_, i64>(0)?, r.get::<_, i64>(1)?)))
            .optional()
            .map_err(failed)?;
        if let Some((second, nano)) = last {
            let within = if query.latest_first { ">=" } else { "<=" };
            conditions.push(format!("(f.second, f.nano) {within} (?, ?)"));
            values.extend([Value::from(second), Value::from(nano)]);
        }
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM feedback f INDEXED BY feedback_agent WHERE {} \
         ORDER BY f.second {order}, f.nano {order}, f.id {order}",
        conditions.join(" AND ")
    );
    let mut found: Vec<Outcome> = vec![];
    // The clusters of comments whose decision has not been reached yet.
    let mut before: Vec<(String, String)> = vec![];
    for_each(conn, &sql, values, &mut |f| {
        if f.is_comment() {
            let whole = whole_id(&f.id).to_owned();
            match found.last_mut().filter(|outcome| outcome.id == whole) {
                Some(outcome) => outcome.clusters.extend(f.cluster),
                None => before.extend(f.cluster.map(|cluster| (whole, cluster))),
            }
            return Ok(());
        }
        let mut clusters: Vec<String> = f.cluster.into_iter().collect();
        clusters.extend(std::mem::take(&mut before).into_iter().filter(|(id, _)| *id == f.id).map(|(_, c)| c));
        let (id, at, gate, is_correction) = (f.id, f.timestamp, f.gate, f.corrects);
        found.push(Outcome { id, at, gate, clusters, is_correction, session: f.session });
        Ok(())
    })?;
    if query.limit > 0 {
        found.truncate(query.limit);
    }
    Ok(found)
}

/// Returns feedback whose text has all the words, best first.
pub fn search(conn: &Connection, words: &str, limit: usize) -> Result<Vec<IndexedFeedback>, IndexError> {
    let Some(query) = phrases(words) else {
        return Ok(vec![]);
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM words JOIN feedback f ON f.row = words.rowid
         WHERE words MATCH ?1 ORDER BY words.rank, f.second DESC, f.nano DESC, f.id DESC LIMIT ?2"
    );
    collect(conn, &sql, vec![query.into(), at_most(limit).into()])
}

/// Visits records of a kind with their paths, by rank, then by id.
pub fn find_records(
    conn: &Connection,
    kind: StoredKind,
    which: Which<'_>,
    order: Order,
    visit: &mut dyn FnMut(String, Stored) -> ControlFlow<()>,
) -> Result<(), IndexError> {
    let order = match order {
        Order::GreatestFirst => "ORDER BY rank DESC, sub_rank DESC, id, path",
        Order::LeastFirst => "ORDER BY rank, sub_rank, id, path",
    };
    each_row(conn, kind, which, order, &mut |path, record| {
        let stored = Stored::from_json(kind, record).map_err(|e| unreadable_row(&path, &e))?;
        // The look-up keys have no checksum of their own.
        let row = stored.row(&path);
        let is_asked = match which {
            Which::All => true,
            Which::Id(id) => row.id == id,
            Which::About(subject) => row.subject.as_deref() == Some(subject),
        };
        if !is_asked {
            return Err(row::damaged(&path));
        }
        Ok(visit(path, stored))
    })
}

/// Counts the records of a kind about a subject.
pub fn count_about(conn: &Connection, kind: StoredKind, subject: &str) -> Result<u64, IndexError> {
    const SQL: &str = "SELECT count(*) FROM records WHERE kind = ?1 AND subject = ?2";
    let mut statement = conn.prepare_cached(SQL).map_err(failed)?;
    statement.query_row(params![kind as i64, subject], |r| r.get::<_, u32>(0)).map(u64::from).map_err(failed)
}

/// Returns the ids of all records of a kind, unordered.
pub fn record_ids(conn: &Connection, kind: StoredKind) -> Result<Vec<String>, IndexError> {
    let mut statement = conn.prepare_cached("SELECT id FROM records WHERE kind = ?1").map_err(failed)?;
    let rows = statement.query_map([kind as i64], |r| r.get(0)).map_err(failed)?;
    rows.collect::<Result<_, _>>().map_err(failed)
}

/// The visitor of a row: takes its id and JSON, and returns whether to continue.
type Visit<'v> = dyn FnMut(String, &str) -> Result<ControlFlow<()>, IndexError> + 'v;

/// Visits the rows of a kind, each checked against its checksum. Unreadable rows are damage.
fn each_row(
    conn: &Connection,
    kind: StoredKind,
    which: Which<'_>,
    order: &str,
    visit: &mut Visit<'_>,
) -> Result<(), IndexError> {
    let (wanted, key) = match which {
        Which::All => ("", None),
        Which::Id(id) => ("AND id = ?2", Some(id)),
        Which::About(subject) => ("AND subject = ?2", Some(subject)),
    };
    let sql = format!("SELECT path, open, record, crc FROM records WHERE kind = ?1 {wanted} {order}");
    let mut statement = conn.prepare_cached(&sql).map_err(failed)?;
    let values = [Value::from(kind as i64)].into_iter().chain(key.map(|key| Value::from(key.to_owned())));
    let mut rows = statement.query(params_from_iter(values)).map_err(failed)?;
    while let Some(r) = rows.next().map_err(failed)? {
        let read = || Ok((r.get::<_, String>(0)?, r.get::<_, bool>(1)?, r.get_ref(2)?.as_str()?, r.get::<_, u32>(3)?));
        let (path, open, record, crc) = read().map_err(failed)?;
        if row::record_checksum(&path, kind as i64, open, record) != crc {
            return Err(row::damaged(&path));
        }
        if visit(path, record)?.is_break() {
            break;
        }
    }
    Ok(())
}

fn unreadable_row(path: &str, error: &serde_json::Error) -> IndexError {
    IndexError::Stale(format!("{path} in it: {error}"))
}

fn each_part<T: DeserializeOwned>(conn: &Connection, kind: StoredKind) -> Result<Vec<T>, IndexError> {
    let mut found = vec![];
    each_row(conn, kind, Which::All, "", &mut |path, record| {
        found.push(serde_json::from_str(record).map_err(|e| unreadable_row(&path, &e))?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Returns the ids of reviews, injections or follow-ups, unordered. The other columns are checked and dropped.
pub fn ids(conn: &Connection, kind: StoredKind) -> Result<Vec<String>, IndexError> {
    #[derive(Deserialize)]
    struct Named {
        #[serde(alias = "review_id", alias = "injection_id", alias = "follow_up_id")]
        id: String,
    }
    Ok(each_part::<Named>(conn, kind)?.into_iter().map(|named| named.id).collect())
}

/// Returns what a model was asked, unordered. The other columns are checked and dropped.
pub fn asked(conn: &Connection) -> Result<Vec<IndexedQuestion>, IndexError> {
    #[derive(Deserialize)]
    struct Named {
        question_hash: String,
        kind: AdviceKind,
        about: Vec<String>,
        asked_at: Timestamp,
        #[serde(default)]
        again: bool,
        #[serde(default)]
        tokens: Tokens,
    }
    let asked = |n: Named| IndexedQuestion {
        question_hash: n.question_hash,
        kind: n.kind,
        about: n.about,
        again: n.again,
        at: n.asked_at,
        tokens: n.tokens,
    };
    Ok(each_part::<Named>(conn, StoredKind::Advice)?.into_iter().map(asked).collect())
}

/// Returns the comments that a model was asked to read, with time and tokens used, unordered.
pub fn readings(conn: &Connection) -> Result<Vec<(String, Timestamp, Tokens)>, IndexError> {
    #[derive(Deserialize)]
    struct Named {
        feedback_id: String,
        asked_at: Timestamp,
        #[serde(default)]
        tokens: Tokens,
    }
    let found = each_part::<Named>(conn, StoredKind::Reading)?.into_iter();
    Ok(found.map(|n| (n.feedback_id, n.asked_at, n.tokens)).collect())
}

/// Reports whether there is an open record of a kind.
pub fn any_open(conn: &Connection, kind: StoredKind) -> Result<bool, IndexError> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM records WHERE kind = ?1 AND open = 1)";
    conn.prepare_cached(SQL).and_then(|mut s| s.query_row([kind as i64], |r| r.get(0))).map_err(failed)
}

/// Returns the unreadable files, in path order.
pub fn unreadable(conn: &Connection) -> Result<Vec<(String, String)>, IndexError> {
    let mut statement = conn.prepare_cached("SELECT path, message FROM unreadable ORDER BY path").map_err(failed)?;
    let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?))).map_err(failed)?;
    rows.collect::<Result<_, _>>().map_err(failed)
}

/// Returns the counts of everything.
pub fn counts(conn: &Connection) -> Result<Counts, IndexError> {
    let mut counts = Counts::default();
    let mut classes = conn.prepare_cached("SELECT class, count(*) FROM feedback GROUP BY class").map_err(failed)?;
    for row in classes.query_map([], |r| Ok((r.get(0)?, r.get(1)?))).map_err(failed)? {
        let (class, n): (i64, u32) = row.map_err(failed)?;
        let place = usize::try_from(class).ok().filter(|c| *c < Classification::ALL.len());
        counts.by_class[place.ok_or_else(|| row::damaged("class"))?] = u64::from(n);
    }
    let count = |sql: &str, kind: Option<StoredKind>| -> Result<u64, IndexError> {
        let values = kind.map(|k| k as i64);
        let mut statement = conn.prepare_cached(sql).map_err(failed)?;
        statement.query_row(params_from_iter(values), |r| r.get::<_, u32>(0)).map(u64::from).map_err(failed)
    };
    const ALL: &str = "SELECT count(*) FROM records WHERE kind = ?1";
    const OPEN: &str = "SELECT count(*) FROM records WHERE kind = ?1 AND open = 1";
    counts.clusters = count(ALL, Some(StoredKind::Cluster))?;
    counts.pending_proposals = count(OPEN, Some(StoredKind::Rule))?;
    counts.open_edge_cases = count(OPEN, Some(StoredKind::EdgeCase))?;
    counts.open_ambiguous = count(OPEN, Some(StoredKind::Ambiguous))?;
    counts.dead_letters = count(ALL, Some(StoredKind::DeadLetter))?;
    counts.unreadable = count("SELECT count(*) FROM unreadable", None)?;
    Ok(counts)
}

fn collect(conn: &Connection, sql: &str, values: Vec<Value>) -> Result<Vec<IndexedFeedback>, IndexError> {
    let mut found = vec![];
    for_each(conn, sql, values, &mut |f| {
        found.push(f);
        Ok(())
    })?;
    Ok(found)
}

fn for_each(
    conn: &Connection,
    sql: &str,
    values: Vec<Value>,
    visit: &mut dyn FnMut(IndexedFeedback) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let mut statement = conn.prepare_cached(sql).map_err(failed)?;
    let mut rows = statement.query(params_from_iter(values)).map_err(failed)?;
    while let Some(r) = rows.next().map_err(failed)? {
        visit(row::feedback(r).map_err(failed)??)?;
    }
    Ok(())
}

/// Quotes every word, so that nothing in it is query syntax; `None` if there is no word.
fn phrases(words: &str) -> Option<String> {
    let quoted: Vec<String> = words
        .split(|c: char| c.is_whitespace() || c == '\0')
        .filter(|w| w.chars().any(char::is_alphanumeric))
        .map(|w| format!("\"{}\"", w.replace('"', "\"\"")))
        .collect();
    if quoted.is_empty() { None } else { Some(quoted.join(" ")) }
}
