//! TurnIndexDB (specification, "Turns: The index of turns"): one row per turn, from its two files in the store.

use super::error::failed;
use super::row::at_most;
use crate::domain::channels::turn::{
    CREATE_FEEDBACK_INDEX, CREATE_TURNS, FeedbackType, Strategy, TurnEvent, TurnMetadata, TurnRow, ValidationOutcome,
};
use crate::ports::{IndexError, TurnQuery};
use jiff::Timestamp;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Creates the table and its index.
pub fn create(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(CREATE_TURNS)?;
    conn.execute_batch(CREATE_FEEDBACK_INDEX)
}

/// Writes the content of a turn's event; what was found about it stays.
pub fn put_turn(conn: &Connection, turn: &TurnEvent) -> rusqlite::Result<()> {
    let strategy = turn.strategy.as_ref();
    conn.prepare_cached(
        "INSERT INTO turns (turn_id, session_id, tenant_id, agent, timestamp, query, strategy_name, strategy_query,
             validation_outcome, quality_score)
         VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)
         ON CONFLICT (session_id, turn_id) DO UPDATE SET tenant_id=?3, agent=?4, timestamp=?5, query=?6,
             strategy_name=?7, strategy_query=?8, validation_outcome=?9, quality_score=?10",
    )?
    .execute(params![
        turn.turn_id,
        turn.session_id,
        turn.tenant_id,
        turn.agent,
        time(turn.timestamp),
        turn.user_message,
        strategy.map(|s| s.name.as_str()),
        strategy.and_then(|s| s.query.as_deref()),
        turn.validation_outcome.map(word),
        turn.quality_score.filter(|score| score.is_finite()),
    ])
    .map(drop)
}

/// Writes the content of metadata.json.
pub fn put_metadata(conn: &Connection, metadata: &TurnMetadata) -> rusqlite::Result<()> {
    let feedback = metadata.user_feedback.as_ref();
    let status = feedback.map_or(FeedbackType::Neutral, |f| f.status);
    let rejected_in = feedback.filter(|f| f.status == FeedbackType::Rejected).and_then(|f| f.detected_in_turn.clone());
    let confidence = feedback.map_or(0.5, |f| f.confidence).clamp(0.0, 1.0);
    conn.prepare_cached(
        "INSERT INTO turns (turn_id, session_id, timestamp, query, validation_outcome, quality_score,
             user_feedback_status, feedback_confidence, rejection_detected_in)
         VALUES (?1,?2,?3,'',?4,?5,?6,?7,?8)
         ON CONFLICT (session_id, turn_id) DO UPDATE SET validation_outcome=?4, quality_score=?5,
             user_feedback_status=?6, feedback_confidence=?7, rejection_detected_in=?8",
    )?
    .execute(params![
        metadata.turn_id,
        metadata.session_id,
        time(metadata.timestamp),
        metadata.validation_outcome.map(word),
        metadata.quality_score.filter(|score| score.is_finite()),
        status.as_str(),
        confidence,
        rejected_in,
    ])
    .map(drop)
}

/// Removes the turn of a file that was removed.
pub fn remove(conn: &Connection, path: &str) -> rusqlite::Result<()> {
    let sql = "SELECT record FROM records WHERE path = ?1";
    let record: Option<String> = conn.query_row(sql, [path], |r| r.get(0)).optional()?;
    let Some(record) = record.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok()) else {
        return Ok(());
    };
    let of = |name: &str| record.get(name).or_else(|| record.get("turn")?.get(name))?.as_str().map(str::to_owned);
    if let (Some(session), Some(turn), false) = (of("session_id"), of("turn_id"), path.ends_with("feedback.json")) {
        conn.execute("DELETE FROM turns WHERE session_id = ?1 AND turn_id = ?2", params![session, turn])?;
    }
    Ok(())
}

/// Returns turns that pass the filter, latest first.
pub fn list(conn: &Connection, query: &TurnQuery<'_>) -> Result<Vec<TurnRow>, IndexError> {
    let mut conditions = vec!["1"];
    let mut values: Vec<Value> = Vec::new();
    if let Some(session) = query.session {
        conditions.push("session_id = ?");
        values.push(session.to_owned().into());
    }
    if let Some(status) = query.status {
        conditions.push("user_feedback_status = ?");
        values.push(status.as_str().to_owned().into());
    }
    values.push(at_most(query.limit).into());
    let sql = format!(
        "SELECT turn_id, session_id, tenant_id, agent, timestamp, query, strategy_name, strategy_query,
             validation_outcome, quality_score, user_feedback_status, feedback_confidence, rejection_detected_in
         FROM turns WHERE {} ORDER BY timestamp DESC, turn_id LIMIT ?",
        conditions.join(" AND ")
    );
    let mut statement = conn.prepare_cached(&sql).map_err(failed)?;
    let rows = statement.query_map(params_from_iter(values), turn_row).map_err(failed)?;
    rows.collect::<rusqlite::Result<_>>().map_err(failed)
}

/// Returns the ids of all sessions, in order.
pub fn sessions(conn: &Connection) -> Result<Vec<String>, IndexError> {
    let sql = "SELECT DISTINCT session_id FROM turns ORDER BY session_id";
    let mut statement = conn.prepare_cached(sql).map_err(failed)?;
    let rows = statement.query_map([], |r| r.get(0)).map_err(failed)?;
    rows.collect::<rusqlite::Result<_>>().map_err(failed)
}

/// Formats a time so that text order is time order: with all nine fractional digits, as `.5Z` would sort before `Z`.
fn time(at: Timestamp) -> String {
    format!("{at:.9}")
}

fn turn_row(r: &Row<'_>) -> rusqlite::Result<TurnRow> {
    let timestamp: String = r.get(4)?;
    let name: Option<String> = r.get(6)?;
    let query: Option<String> = r.get(7)?;
    let outcome: Option<String> = r.get(8)?;
    let status: String = r.get(10)?;
    Ok(TurnRow {
        turn_id: r.get(0)?,
        session_id: r.get(1)?,
        tenant_id: r.get(2)?,
        agent: r.get(3)?,
        timestamp: timestamp.parse().unwrap_or(Timestamp::UNIX_EPOCH),
        query: r.get(5)?,
        strategy: name.map(|name| Strategy { name, query }),
        validation_outcome: outcome.and_then(|word| read_word::<ValidationOutcome>(&word)),
        quality_score: r.get(9)?,
        user_feedback_status: read_word(&status).unwrap_or_default(),
        feedback_confidence: r.get(11)?,
        rejection_detected_in: r.get(12)?,
    })
}

/// Returns the word that a unit variant is serialized as.
fn word<T: Serialize>(value: T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn read_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).ok()
}
