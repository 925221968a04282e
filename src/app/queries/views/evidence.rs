//! A comment with its decision and the diff that corrected the work.

use crate::domain::records::record::DecisionRecord;
use crate::queries::{Queries, QueryError};

/// Maximum number of comments shown with full details.
pub const MAX_SHOWN: usize = 25;

/// A comment with everything that came with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// Its file in the store.
    pub path: String,
    /// The decision.
    pub record: DecisionRecord,
    /// The diff, if one is stored.
    pub diff: Option<String>,
}

/// Returns the comments with these ids and everything that came with them; omits unknown ids and those after the first
/// [`MAX_SHOWN`].
///
/// # Errors
/// If store or index cannot be read.
pub fn evidence<'i>(queries: &Queries<'_>, ids: impl Iterator<Item = &'i String>) -> Result<Vec<Evidence>, QueryError> {
    let mut found = Vec::new();
    for id in ids.take(MAX_SHOWN) {
        let Some(indexed) = queries.index.feedback(id)? else { continue };
        let record = queries.decision(&indexed.path)?;
        let diff = match &record.feedback.correction {
            Some(correction) => queries.text(&correction.path)?,
            None => None,
        };
        found.push(Evidence { path: indexed.path, record, diff });
    }
    Ok(found)
}
