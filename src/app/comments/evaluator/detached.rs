//! A memory of remarks for whoever looks at a store beside its pipeline: with a knowledge store of its own.

use super::near::{Asked, Evaluator, NEIGHBOURS, Near};
use super::vectors::{Remarks, near_vector};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{Member, Policy};
use crate::ports::{Knowledge, KnowledgeError};

/// Remarks with a knowledge store of their own, for whoever looks at a store beside its pipeline.
pub struct Remembered {
    /// The remarks.
    pub remarks: Remarks,
    /// What finds near ones.
    pub knowledge: Box<dyn Knowledge>,
}

impl Remembered {
    /// Remembers nothing yet.
    pub fn new(mut knowledge: Box<dyn Knowledge>, policy: Policy) -> Remembered {
        knowledge.clear();
        Remembered { remarks: Remarks::new(policy), knowledge }
    }

    /// Looks things up.
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator { remarks: &self.remarks, near: Near { knowledge: self.knowledge.as_ref(), added: None } }
    }

    /// Takes up a remark as if it came now, whatever was decided about it.
    ///
    /// # Errors
    /// When the knowledge store fails.
    pub fn replay(&mut self, mut member: Member) -> Result<(), KnowledgeError> {
        (member.cluster, member.tied, member.revision) = (None, false, 0);
        let vector = near_vector(self.remarks.groups.next_key(), &member);
        if member.classification == Classification::Ambiguous {
            self.remarks.groups.restore(member, None);
        } else {
            member.classification = Classification::EdgeCase;
            let policy = self.remarks.policy;
            let near = self.evaluator().around(&Asked::of(&member), NEIGHBOURS)?.same;
            let near: Vec<_> = near.into_iter().map(|(key, s)| (key, policy.calibration.cosine(s))).collect();
            self.remarks.groups.join(member, &near, &policy);
        }
        self.knowledge.add(&[vector])
    }
}
