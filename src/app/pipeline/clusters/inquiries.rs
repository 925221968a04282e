//! Questions to people about the clustering, for callers that only read the store or run alongside the pipeline.

use crate::comments::evaluator::{CommentVectors, DetachedComments, KnowledgeError};
use crate::domain::channels::action::Policy;
use crate::domain::clusters::Member;
use crate::domain::clusters::question;
use crate::domain::clusters::question::Inquiry;
use crate::pipeline::state::Pipeline;
use crate::pipeline::working_set;
use crate::pipeline::working_set::WorkingSet;
use crate::ports::{Index, IndexError};
use crate::queries::{Comparisons, QueryError};
use crate::text::ids::CommitId;
use jiff::Timestamp;

/// Returns the most valuable questions, about one agent or all, based on the clusters in the index.
///
/// # Errors
/// If the index cannot be read.
pub fn inquiries(
    comparisons: &Comparisons<'_>,
    remembered: DetachedComments,
    agent: Option<&str>,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<Inquiry>, QueryError> {
    let DetachedComments { remarks, mut knowledge } = remembered;
    let mut loaded = WorkingSet::new(remarks.policy, Policy::default());
    loaded.load(comparisons.queries.index, comparisons.understanding, None, now)?;
    loaded.remarks.fill(knowledge.as_mut())?;
    let remembered = DetachedComments { remarks: loaded.remarks, knowledge };
    Ok(remembered.evaluator().inquiries(agent, limit)?)
}

impl Pipeline {
    /// Returns the current comments and clusters and their commit; `None` while the working set is being built. The
    /// result shares the working set's data, so only later changes are copied.
    pub fn remembered(&self) -> Option<(CommentVectors, CommitId)> {
        let head = self.memory.head.clone().filter(|_| !self.index_behind)?;
        Some((self.memory.remarks.clone(), head))
    }

    /// Returns the ids of comments close enough to a comment to be asked about together with it.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn near_enough_to_ask(&self, member: &Member) -> Result<Vec<String>, KnowledgeError> {
        let near = self.evaluator().near_enough_to_ask(member)?;
        Ok(near.into_iter().map(|key| self.memory.remarks.groups.member(key).id.clone()).collect())
    }
}

/// Returns the most valuable questions, based on a snapshot of comments from the pipeline. `near` queries the pipeline
/// one comment at a time, so that entries never wait longer than that. Anything that arrived since is left out.
///
/// # Errors
/// Any error that `near` returns.
pub fn beside<E>(
    remarks: &CommentVectors,
    limit: usize,
    near: &dyn Fn(&Member) -> Result<Vec<String>, E>,
) -> Result<Vec<Inquiry>, E> {
    let groups = &remarks.groups;
    let known = |member: &Member| Ok(near(member)?.iter().filter_map(|id| groups.key_of(id)).collect());
    question::inquiries(groups, None, limit, &known)
}

/// Returns all comparable comments in chronological order, each with its cluster.
///
/// # Errors
/// If the index cannot be read.
pub fn remarks(index: &dyn Index) -> Result<Vec<(Member, Option<String>)>, IndexError> {
    let mut found = Vec::new();
    index.each_feedback(&mut |feedback| found.extend(working_set::member(feedback)))?;
    Ok(found)
}
