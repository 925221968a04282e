//! Conversion between records and table rows. Does not access the database.

use crate::domain::clusters::evaluation::Classification;
use crate::domain::intake::submission::Mark;
use crate::ports::{IndexError, IndexedFeedback};
use crate::text::ids::Gate;
use crate::text::language::catalogue::ClusterConcern;
use crate::text::language::direction::Direction;
use crate::text::language::similarity::DemandVector;
use crate::text::verdict::Verdict;
use jiff::Timestamp;
use rusqlite::Row;

/// The columns that [`feedback`] reads, in its order.
pub const COLUMNS: &str = "f.id, f.path, f.decision_id, f.tenant, f.agent, f.gate, f.reviewer, f.verdict, f.second, \
     f.nano, f.text, f.demand, f.direction, f.class, f.confidence, f.cluster, f.edge_case, f.revision, f.session, \
     f.review_seconds, f.retracted, f.vector, f.crc, f.concern, f.probability, f.waived, f.judged, f.sentence, \
     f.task, f.repository, f.file, f.mark, f.corrects, f.comments, f.outright, f.shown";

const VERDICTS: [Verdict; 3] = [Verdict::Approved, Verdict::Rejected, Verdict::ApprovedWithChanges];
const MARKS: [Mark; 3] = [Mark::Nothing, Mark::Particular, Mark::Demand];
const DIRECTIONS: [Direction; 3] = [Direction::More, Direction::Less, Direction::Unclear];

/// Returns the number a verdict is stored as.
pub fn verdict(v: Verdict) -> i64 {
    position(&VERDICTS, v)
}

/// Returns the number a direction is stored as.
pub fn direction(d: Direction) -> i64 {
    position(&DIRECTIONS, d)
}

/// Returns the number a class is stored as: its position in [`Classification::ALL`].
pub fn class(c: Classification) -> i64 {
    position(&Classification::ALL, c)
}

/// Returns the number a mark is stored as.
pub fn mark(m: Mark) -> i64 {
    position(&MARKS, m)
}

/// Converts a row to feedback, verifying its checksum. The outer error is SQLite's.
pub fn feedback(r: &Row<'_>) -> rusqlite::Result<Result<IndexedFeedback, IndexError>> {
    let vector: Option<Vec<u8>> = r.get(21)?;
    let (gate, verdict, direction, class): (i64, usize, usize, usize) =
        (r.get(5)?, number(r, 7)?, number(r, 12)?, number(r, 13)?);
    let id: String = r.get(0)?;
    let damaged = |id: &str| Ok(Err(damaged(id)));
    let (Some(gate), Some(verdict), Some(direction), Some(class), Ok(timestamp)) = (
        u8::try_from(gate).ok().and_then(Gate::new),
        VERDICTS.get(verdict),
        DIRECTIONS.get(direction),
        Classification::ALL.get(class),
        Timestamp::new(r.get(8)?, r.get(9)?),
    ) else {
        return damaged(&id);
    };
    let mark = match r.get::<_, Option<i64>>(31)? {
        None => None,
        Some(number) => match usize::try_from(number).ok().and_then(|at| MARKS.get(at)) {
            Some(mark) => Some(*mark),
            None => return damaged(&id),
        },
    };
    let stored: u32 = r.get(22)?;
    let row = IndexedFeedback {
        id,
        path: r.get(1)?,
        decision_id: r.get(2)?,
        tenant: r.get(3)?,
        agent: r.get(4)?,
        gate,
        reviewer: r.get(6)?,
        verdict: *verdict,
        timestamp,
        text: r.get(10)?,
        demand: r.get(11)?,
        direction: *direction,
        voiced: voiced(r)?,
        classification: *class,
        confidence: r.get(14)?,
        cluster: r.get(15)?,
        edge_case: r.get(16)?,
        revision: r.get(17)?,
        session: r.get(18)?,
        review_seconds: r.get::<_, Option<i64>>(19)?.map(i64::cast_unsigned),
        retracted: r.get(20)?,
        judged: r.get(26)?,
        sentence: r.get(27)?,
        task: r.get(28)?,
        repository: r.get(29)?,
        file: r.get(30)?,
        mark,
        corrects: r.get(32)?,
        comments: r.get(33)?,
        outright: r.get(34)?,
        vector: vector.as_deref().and_then(DemandVector::from_bytes),
    };
    if checksum(&row, vector.as_deref(), &mut Vec::new()) != stored {
        return damaged(&row.id);
    }
    Ok(Ok(row))
}

/// Computes a checksum over every column. `buffer` only saves allocations.
pub fn checksum(row: &IndexedFeedback, vector: Option<&[u8]>, buffer: &mut Vec<u8>) -> u32 {
    buffer.clear();
    let mut part = |bytes: Option<&[u8]>| {
        let length = bytes.map_or(u64::MAX, |b| b.len() as u64);
        buffer.extend_from_slice(&length.to_le_bytes());
        buffer.extend_from_slice(bytes.unwrap_or_default());
    };
    for text in [&row.id, &row.path, &row.decision_id, &row.tenant, &row.agent, &row.reviewer, &row.text] {
        part(Some(text.as_bytes()));
    }
    part(row.cluster.as_deref().map(str::as_bytes));
    part(row.edge_case.as_deref().map(str::as_bytes));
    part(row.session.as_deref().map(str::as_bytes));
    part(row.voiced.as_ref().map(|v| v.concern.as_bytes()));
    part(row.sentence.as_deref().map(str::as_bytes));
    part(row.task.as_deref().map(str::as_bytes));
    part(row.repository.as_deref().map(str::as_bytes));
    part(row.file.as_deref().map(str::as_bytes));
    part(vector);
    part(row.review_seconds.map(u64::to_le_bytes).as_ref().map(<[u8; 8]>::as_slice));
    let (verdict, direction, class) = (verdict(row.verdict), direction(row.direction), class(row.classification));
    for n in [
        i64::from(row.gate.number()),
        verdict,
        row.timestamp.as_second(),
        i64::from(row.timestamp.subsec_nanosecond()),
        i64::from(row.demand),
        i64::from(row.corrects),
        i64::from(row.outright),
        i64::from(row.voiced.as_ref().is_some_and(|v| v.shown)),
        i64::from(row.comments),
        i64::from(row.retracted),
        i64::from(row.judged),
        direction,
        class,
        i64::from(row.revision),
        i64::from(row.voiced.as_ref().is_some_and(|v| v.waived)),
        row.mark.map_or(-1, mark),
    ] {
        buffer.extend_from_slice(&n.to_le_bytes());
    }
    buffer.extend_from_slice(&row.confidence.to_bits().to_le_bytes());
    let probability = row.voiced.as_ref().map_or(0.0, |v| v.probability);
    buffer.extend_from_slice(&probability.to_bits().to_le_bytes());
    libdeflater::crc32(buffer)
}

/// Computes a checksum over a row of `records`.
pub fn record_checksum(path: &str, kind: i64, open: bool, record: &str) -> u32 {
    let mut crc = libdeflater::Crc::new();
    crc.update(path.as_bytes());
    crc.update(&[0, kind as u8, u8::from(open)]);
    crc.update(record.as_bytes());
    crc.sum()
}

/// Converts a limit: SQLite takes -1 for none; here it is 0.
pub fn at_most(limit: usize) -> i64 {
    if limit == 0 { -1 } else { i64::try_from(limit).unwrap_or(i64::MAX) }
}

/// Builds the error for a row that is not what was written.
pub fn damaged(what: &str) -> IndexError {
    IndexError::Stale(format!("it is damaged (the row of `{what}` does not match its checksum)"))
}

fn position<T: PartialEq>(all: &[T], one: T) -> i64 {
    // Every value is in its list: the enums are small and the round-trip test covers them all.
    all.iter().position(|x| *x == one).map_or(-1, |i| i as i64)
}

/// Returns the concern that a row names.
fn voiced(r: &Row<'_>) -> rusqlite::Result<Option<ClusterConcern>> {
    let (concern, probability, waived): (Option<String>, Option<f64>, bool) = (r.get(23)?, r.get(24)?, r.get(25)?);
    let shown: bool = r.get(35)?;
    Ok(concern.map(|concern| ClusterConcern { concern, probability: probability.unwrap_or_default(), waived, shown }))
}

/// Reads a small number that is a list position; a negative one means none.
fn number(r: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    Ok(usize::try_from(r.get::<_, i64>(column)?).unwrap_or(usize::MAX))
}
