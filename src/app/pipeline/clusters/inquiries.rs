//! Questions to people about the grouping: for whoever only reads the store, and for whoever looks beside the pipeline.

use crate::comments::evaluator::{KnowledgeError, Remarks, Remembered};
use crate::domain::channels::action::Policy;
use crate::domain::clusters::Member;
use crate::domain::clusters::question;
use crate::domain::clusters::question::Inquiry;
use crate::pipeline::state::Pipeline;
use crate::pipeline::working_set;
use crate::pipeline::working_set::Memory;
use crate::ports::{Index, IndexError};
use crate::queries::{Comparisons, QueryError};
use crate::text::ids::CommitId;
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

impl Pipeline {
    /// The remarks and groups as they stand, and the commit that they stand at; nothing while the memory is being made. What
    /// is given away shares all of the memory, so that nothing is copied but what changes later.
    pub fn remembered(&self) -> Option<(Remarks, CommitId)> {
        let head = self.memory.head.clone().filter(|_| !self.index_behind)?;
        Some((self.memory.remarks.clone(), head))
    }

    /// The ids of the remarks near a remark that may be asked about together with it.
    ///
    /// # Errors
    /// When the knowledge store fails.
    pub fn near_enough_to_ask(&self, member: &Member) -> Result<Vec<String>, KnowledgeError> {
        let near = self.evaluator().near_enough_to_ask(member)?;
        Ok(near.into_iter().map(|key| self.memory.remarks.groups.member(key).id.clone()).collect())
    }
}

/// The questions that pay most, by remarks that the pipeline gave away. `near` asks it, a remark at a time, so that entries
/// never wait for longer than that; what came since is left out.
///
/// # Errors
/// What `near` fails with.
pub fn beside<E>(
    remarks: &Remarks,
    limit: usize,
    near: &dyn Fn(&Member) -> Result<Vec<String>, E>,
) -> Result<Vec<Inquiry>, E> {
    let groups = &remarks.groups;
    let known = |member: &Member| Ok(near(member)?.iter().filter_map(|id| groups.key_of(id)).collect());
    question::inquiries(groups, None, limit, &known)
}

/// All remarks that can be compared, in the order of time, each with the cluster that it is in.
///
/// # Errors
/// When the index cannot be read.
pub fn remarks(index: &dyn Index) -> Result<Vec<(Member, Option<String>)>, IndexError> {
    let mut found = Vec::new();
    index.each_feedback(&mut |feedback| found.extend(working_set::member(feedback)))?;
    Ok(found)
}
