//! The working set of comments, and how it reaches the knowledge store.

use crate::domain::clusters::{Clusters, Member, MemberKey, Policy};
use crate::ports::{Knowledge, KnowledgeError, NearVector};
use crate::text::language::direction::Direction;
use crate::text::prose;
use imbl::OrdSet;

/// How much of a comment the working set keeps, in characters.
const REMARK: usize = 160;
/// How many vectors are passed at once when a working set is loaded.
const AT_ONCE: usize = 4096;

/// The comments, their clusters, and the policy for them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct CommentVectors {
    /// The comments and their clusters.
    pub groups: Clusters,
    /// The policy for clustering and classes.
    pub policy: Policy,
    /// Feedback that a review decided against; it no longer contradicts anything.
    pub overruled: OrdSet<String>,
    /// Demands, by tenant, agent and axis, whose two sides do not contradict each other according to people.
    pub reconciled: OrdSet<(String, String, u16)>,
}

impl CommentVectors {
    /// Creates an empty set.
    pub fn new(policy: Policy) -> CommentVectors {
        CommentVectors { groups: Clusters::default(), policy, overruled: OrdSet::new(), reconciled: OrdSet::new() }
    }

    /// Records that people see no contradiction between two comments' demands, nor between the same demands by others.
    pub fn reconcile(&mut self, feedback_id: &str) {
        let Some(key) = self.groups.key_of(feedback_id) else { return };
        let member = self.groups.member(key);
        if let Some(axis) = member.pointing().axis {
            let (tenant, agent) = (member.tenant.clone(), member.agent.clone());
            self.reconciled.insert((tenant, agent, axis));
        }
    }

    /// Reports whether people ruled that the two sides of a comment's demand do not contradict each other.
    pub(super) fn is_reconciled(&self, member: &Member) -> bool {
        let axis = member.pointing().axis;
        axis.is_some_and(|axis| self.reconciled.contains(&(member.tenant.clone(), member.agent.clone(), axis)))
    }

    /// Makes a knowledge store hold exactly the vectors of these comments.
    ///
    /// # Errors
    /// If it fails.
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

/// Returns where a comment is found.
pub(super) fn near_vector(key: MemberKey, member: &Member) -> NearVector {
    let scope = scope(&member.tenant, &member.agent, member.direction);
    NearVector { scope, key, vector: member.vector.clone() }
}

/// Shortens a comment to one line for the working set.
pub fn remark(text: &str) -> String {
    prose::line(text, REMARK)
}

/// Returns the scope of comments about an agent's work that point one way.
pub(super) fn scope(tenant: &str, agent: &str, direction: Direction) -> String {
    let way = match direction {
        Direction::More => '+',
        Direction::Less => '-',
        Direction::Unclear => '?',
    };
    format!("{tenant}\u{1f}{agent}\u{1f}{way}")
}
