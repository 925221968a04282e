//! People's decisions of a period, in words.

use super::answer::Line;
use super::rule::decision;
use crate::domain::records::notification::page_of;
use crate::domain::records::record::{ReviewOutcome, ReviewRecord};
use crate::queries::{Queries, QueryError};
use jiff::Timestamp;

/// A decision that counts, in words.
#[derive(Clone, Debug)]
pub struct Decided {
    /// What was decided, by whom and when.
    pub line: Line,
    /// The page about it.
    pub page: String,
}

/// Returns everyone's decisions that were recorded since a time and count, latest first.
///
/// # Errors
/// If the index cannot be read.
pub fn decided_since(queries: &Queries<'_>, since: Timestamp) -> Result<Vec<Decided>, QueryError> {
    let counts = |r: &ReviewRecord| r.outcome == ReviewOutcome::Accepted && r.recorded_at >= since;
    let found = queries.index.reviews()?.into_iter().filter(|(_, review)| counts(review));
    Ok(found.map(|(path, r)| Decided { line: decision(&path, &r, None), page: page_of(&r.action) }).collect())
}
