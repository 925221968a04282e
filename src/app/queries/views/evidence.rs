//! A remark with the decision that it came with and the diff that corrected the work.

use crate::domain::records::record::DecisionRecord;
use crate::queries::{Queries, QueryError};

/// So many remarks are shown with all that belongs to them.
pub const MAX_SHOWN: usize = 25;

/// A remark with everything that came with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// Its file in the store.
    pub path: String,
    /// The decision.
    pub record: DecisionRecord,
    /// The diff, where one is in the store.
    pub diff: Option<String>,
}

/// The remarks of these ids with everything that came with them; ids that are not known are left out, and so are those after
/// the first [`MAX_SHOWN`].
///
/// # Errors
/// Where store or index cannot be read.
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
