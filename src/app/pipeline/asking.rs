//! Questions to people about the grouping, for whoever only reads.

use super::memory::{self, Memory};
use crate::app::evaluator::Remembered;
use crate::app::queries::{Comparisons, QueryError};
use crate::domain::channels::action::Policy;
use crate::domain::grouping::Member;
use crate::domain::grouping::question::Inquiry;
use crate::ports::{Index, IndexError};
use jiff::Timestamp;

/// The questions that pay most, about one agent or about all, as the index knows the groups.
///
/// # Errors
/// When the index cannot be read.
pub fn inquiries(
    comparisons: &Comparisons<'_>,
    remembered: Remembered,
    agent: Option<&str>,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<Inquiry>, QueryError> {
    let Remembered { remarks, mut knowledge } = remembered;
    let mut loaded = Memory::new(remarks.policy, Policy::default());
    loaded.load(comparisons.queries.index, comparisons.understanding, None, now)?;
    loaded.remarks.fill(knowledge.as_mut())?;
    let remembered = Remembered { remarks: loaded.remarks, knowledge };
    Ok(remembered.evaluator().inquiries(agent, limit)?)
}

/// All remarks that can be compared, in the order of time, each with the cluster that it is in.
///
/// # Errors
/// When the index cannot be read.
pub fn remarks(index: &dyn Index) -> Result<Vec<(Member, Option<String>)>, IndexError> {
    let mut found = Vec::new();
    index.each_feedback(&mut |feedback| found.extend(memory::member(feedback)))?;
    Ok(found)
}
