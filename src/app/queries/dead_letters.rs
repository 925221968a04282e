//! Entries that could not be decoded.

use super::answers::RecordLocation;
use super::error::QueryError;
use super::lists::Queries;
use crate::domain::records::record::DeadLetterRecord;
use crate::domain::source::entry_time;

impl Queries<'_> {
    /// Returns the dead letters, latest first, omitting those whose record cannot be read.
    pub fn dead_letters(&self) -> Result<Vec<RecordLocation<DeadLetterRecord>>, QueryError> {
        let mut all: Vec<RecordLocation<DeadLetterRecord>> =
            self.index.records()?.into_iter().map(|(path, record)| RecordLocation { path, record }).collect();
        let order = |one: &RecordLocation<DeadLetterRecord>| {
            let source = &one.record.source;
            (entry_time(&source.entry_id), source.entry_id.clone())
        };
        all.sort_by_key(|letter| std::cmp::Reverse(order(letter)));
        Ok(all)
    }
}
