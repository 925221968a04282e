//! Questions to people about the grouping, for whoever only reads.

use super::state::State;
use crate::app::evaluator::Evaluator;
use crate::app::queries::{Queries, QueryError};
use crate::domain::question::Question;
use jiff::Timestamp;

/// The questions that pay most, about one agent or about all, as the index knows the groups. The evaluator is one that
/// knows nothing yet.
///
/// # Errors
/// When the index cannot be read.
pub fn questions(
    queries: &Queries<'_>,
    evaluator: Evaluator,
    agent: Option<&str>,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<Question>, QueryError> {
    let mut state = State::new(evaluator);
    state.load(queries.index, queries.understanding, None, now)?;
    Ok(state.evaluator.questions(agent, limit))
}
