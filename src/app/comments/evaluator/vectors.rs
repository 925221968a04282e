//! What is remembered of remarks, and how it comes to where near ones are found.

use crate::domain::clusters::{Groups, Member, MemberKey, Policy};
use crate::ports::{Knowledge, KnowledgeError, NearVector};
use crate::text::language::direction::Direction;
use crate::text::prose;
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
    /// Demands, by tenant, agent and axis, of which people said that the two sides do not contradict each other.
    pub reconciled: OrdSet<(String, String, u16)>,
}

impl Remarks {
    /// No remarks yet.
    pub fn new(policy: Policy) -> Remarks {
        Remarks { groups: Groups::default(), policy, overruled: OrdSet::new(), reconciled: OrdSet::new() }
    }

    /// Takes up that people see no contradiction in what a remark and another one ask for: nor in what others ask of the same.
    pub fn reconcile(&mut self, feedback_id: &str) {
        let Some(key) = self.groups.key_of(feedback_id) else { return };
        let member = self.groups.member(key);
        if let Some(axis) = member.pointing().axis {
            let (tenant, agent) = (member.tenant.clone(), member.agent.clone());
            self.reconciled.insert((tenant, agent, axis));
        }
    }

    /// Whether people said of what a remark asks for that its two sides do not contradict each other.
    pub(super) fn is_reconciled(&self, member: &Member) -> bool {
        let axis = member.pointing().axis;
        axis.is_some_and(|axis| self.reconciled.contains(&(member.tenant.clone(), member.agent.clone(), axis)))
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

/// Where a remark is found.
pub(super) fn near_vector(key: MemberKey, member: &Member) -> NearVector {
    let scope = scope(&member.tenant, &member.agent, member.direction);
    NearVector { scope, key, vector: member.vector.clone() }
}

/// A remark as the memory keeps it: one line, shortened.
pub fn remark(text: &str) -> String {
    prose::line(text, REMARK)
}

/// Where the remarks about an agent's work are that point one way.
pub(super) fn scope(tenant: &str, agent: &str, direction: Direction) -> String {
    let way = match direction {
        Direction::More => '+',
        Direction::Less => '-',
        Direction::Unclear => '?',
    };
    format!("{tenant}\u{1f}{agent}\u{1f}{way}")
}
