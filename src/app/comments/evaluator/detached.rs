//! A working set of comments for use outside the store's pipeline, with its own knowledge store.

use super::near::{Evaluator, NEIGHBOURS, NearVectors, SearchTarget};
use super::vectors::{CommentVectors, near_vector};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{Member, Policy};
use crate::ports::{Knowledge, KnowledgeError};

/// Comments with their own knowledge store, for use outside the store's pipeline.
pub struct DetachedComments {
    /// The comments.
    pub remarks: CommentVectors,
    /// Finds near comments.
    pub knowledge: Box<dyn Knowledge>,
}

impl DetachedComments {
    /// Creates an empty working set.
    pub fn new(mut knowledge: Box<dyn Knowledge>, policy: Policy) -> DetachedComments {
        knowledge.clear();
        DetachedComments { remarks: CommentVectors::new(policy), knowledge }
    }

    /// Returns an evaluator.
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator { remarks: &self.remarks, near: NearVectors { knowledge: self.knowledge.as_ref(), added: None } }
    }

    /// Adds a comment as if it came now, regardless of earlier decisions about it.
    ///
    /// # Errors
    /// If the knowledge store fails.
    pub fn replay(&mut self, mut member: Member) -> Result<(), KnowledgeError> {
        (member.cluster, member.tied, member.revision) = (None, false, 0);
        let vector = near_vector(self.remarks.groups.next_key(), &member);
        if member.classification == Classification::Ambiguous {
            self.remarks.groups.restore(member, None);
        } else {
            member.classification = Classification::EdgeCase;
            let policy = self.remarks.policy;
            let near = self.evaluator().around(&SearchTarget::of(&member), NEIGHBOURS)?.same;
            let near: Vec<_> = near.into_iter().map(|(key, s)| (key, policy.calibration.cosine(s))).collect();
            self.remarks.groups.join(member, &near, &policy);
        }
        self.knowledge.add(&[vector])
    }
}
