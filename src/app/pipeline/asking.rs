//! Questions to people about the grouping, for whoever only reads.

use super::state::{self, State};
use crate::app::evaluator::Evaluator;
use crate::app::queries::{Queries, QueryError};
use crate::domain::channels::action::Policy;
use crate::domain::grouping::cluster::Member;
use crate::domain::grouping::question::Question;
use crate::ports::{Index, IndexError};
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
    let mut state = State::new(evaluator, Policy::default());
    state.load(queries.index, queries.understanding, None, now)?;
    Ok(state.evaluator.questions(agent, limit))
}

/// All remarks that can be compared, in the order of time, each with the cluster that it is in.
///
/// # Errors
/// When the index cannot be read.
pub fn remarks(index: &dyn Index) -> Result<Vec<(Member, Option<String>)>, IndexError> {
    let mut found = Vec::new();
    index.each_feedback(&mut |feedback| found.extend(state::member(feedback)))?;
    Ok(found)
}
