//! Looks up one dead letter in the store.

use crate::domain::records::record::DeadLetterRecord;
use crate::queries::{Queries, QueryError, RecordLocation, not_found};

/// Returns a dead letter by its entry's id and, if given, its stream's key; if several streams match, the latest.
///
/// # Errors
/// If there is none, or the index cannot be read.
pub fn one(
    queries: &Queries<'_>,
    id: &str,
    stream: Option<&str>,
) -> Result<RecordLocation<DeadLetterRecord>, QueryError> {
    let mut all = queries.dead_letters()?;
    all.retain(|letter| stream.is_none_or(|stream| letter.record.source.stream == stream));
    match all.iter().position(|letter| letter.record.source.entry_id == id) {
        Some(at) => Ok(all.swap_remove(at)),
        None => Err(not_found("dead letter", id, all.iter().map(|letter| letter.record.source.entry_id.as_str()))),
    }
}
