//! What is remembered of remarks, and how it comes to where near ones are found.

use super::near::{Asked, Evaluator, NEIGHBOURS, Near, scope};
use crate::domain::grouping::evaluation::Classification;
use crate::domain::grouping::{Groups, Member, MemberKey, Policy};
use crate::domain::prose;
use crate::ports::{Knowledge, KnowledgeError, NearVector};
use imbl::OrdSet;

/// How much of a remark the memory keeps, in characters.
const REMARK: usize = 160;
/// How many vectors are handed over at once when a memory is loaded.
const AT_ONCE: usize = 4096;

/// The remarks, their groups, and what decides about them. Cheap to copy.
#[derive(Clone, Debug)]
pub struct Remarks {
    /// The remarks and their groups.
    pub groups: Groups,
    /// What decides about grouping and classes.
    pub policy: Policy,
    /// Feedback that a review decided against: it contradicts nothing any more.
    pub overruled: OrdSet<String>,
}

impl Remarks {
    /// No remarks yet.
    pub fn new(policy: Policy) -> Remarks {
        Remarks { groups: Groups::default(), policy, overruled: OrdSet::new() }
    }

    /// Makes a knowledge store hold the vectors of these remarks, and nothing else.
    ///
    /// # Errors
    /// When it fails.
    pub fn fill(&self, knowledge: &mut dyn Knowledge) -> Result<(), KnowledgeError> {
        knowledge.clear();
        let mut vectors = Vec::new();
        for (key, member) in self.groups.members().filter(|(_, member)| !member.withdrawn) {
            vectors.push(near_vector(key, member));
            if vectors.len() == AT_ONCE {
                knowledge.add(&vectors)?;
                vectors.clear();
            }
        }
        knowledge.add(&vectors)
    }
}

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

/// Where a remark is found.
pub(super) fn near_vector(key: MemberKey, member: &Member) -> NearVector {
    let scope = scope(&member.tenant, &member.agent, member.direction);
    NearVector { scope, key, vector: member.vector.clone() }
}

/// A remark as the memory keeps it: one line, shortened.
pub fn remark(text: &str) -> String {
    prose::line(text, REMARK)
}
