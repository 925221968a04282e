//! To which of the nearest groups a remark belongs that was read, where the vectors cannot tell: which question is put to
//! the language model next, and what follows from its answer.
//!
//! The answer counts for the remark alone: the group is no example because of it, as it is where people teach.

use super::draft::Draft;
use super::error::PipelineError;
use super::evidence::leave_proposal;
use super::memory::{Memory, about_key, reading_key};
use crate::app::evaluator::Evaluator;
use crate::domain::grouping::evaluation::Classification;
use crate::domain::grouping::{ClusterKey, Group, Groups, MemberKey};
use crate::domain::ids::{CommitId, cluster_id};
use crate::domain::records::record::DecisionRecord;
use crate::domain::rules::drafting::advice::{CHOICE_REMARKS, CHOICES, Choice, ChoiceQuestion, Offered};
use crate::ports::KnowledgeError;

/// The raw link from which a group is worth asking about.
const ASKED_FROM: f64 = 0.25;

/// Remarks about which nothing was asked yet.
#[derive(Default)]
pub(super) struct Undecided {
    /// The head at which nothing more was found.
    looked: Option<Option<CommitId>>,
}

impl Undecided {
    /// Something may be found after all.
    pub fn look_again(&mut self) {
        self.looked = None;
    }

    /// The next question: of the oldest remark that is part of no group's core, and near some.
    pub fn next(
        &mut self,
        memory: &Memory,
        evaluator: Evaluator<'_>,
    ) -> Result<Option<ChoiceQuestion>, KnowledgeError> {
        if self.looked.as_ref() == Some(&memory.head) {
            return Ok(None);
        }
        let groups = &memory.remarks.groups;
        for (key, member) in groups.members() {
            let open = !member.withdrawn
                && !member.tied
                && member.classification != Classification::Ambiguous
                && !member.cluster.is_some_and(|cluster| groups.is_peoples(cluster))
                && memory.knows(&reading_key(&member.id))
                && !memory.knows(&about_key(std::slice::from_ref(&member.id)));
            if !open {
                continue;
            }
            let near = evaluator.groups_around(key, ASKED_FROM, CHOICES)?;
            if !near.is_empty() {
                return Ok(Some(question(groups, key, &near)));
            }
        }
        self.looked = Some(memory.head.clone());
        Ok(None)
    }
}

fn question(groups: &Groups, key: MemberKey, near: &[Group]) -> ChoiceQuestion {
    let member = groups.member(key);
    let offered = near.iter().map(|group| {
        let remarks = match group {
            Group::Cluster(cluster) => groups.representatives(*cluster, CHOICE_REMARKS + 1),
            Group::Lone(other) => vec![groups.member(*other)],
        };
        // A group that it leans on is shown by its other members.
        let others = remarks.iter().filter(|shown| shown.id != member.id).take(CHOICE_REMARKS);
        Offered {
            about: groups.group_id(*group),
            remarks: others.map(|shown| (shown.id.as_str(), shown.text.as_str())).collect(),
        }
    });
    let demand = member.sentence.as_deref().unwrap_or_default();
    ChoiceQuestion::new(&member.id, &member.agent, demand, &member.text, offered)
}

/// Puts a remark into the group that was chosen. What came of it, in words.
pub(super) fn put_into(
    draft: &mut Draft<'_>,
    question: &ChoiceQuestion,
    choice: &Choice,
    adviser: &str,
    hash: &str,
) -> Result<String, PipelineError> {
    let stays = |why: &str| Ok(format!("everything stays as it is: {why}"));
    let (policy, groups) = (draft.memory.remarks.policy, &draft.memory.remarks.groups);
    let (Some(key), Some(target)) = (groups.key_of(&question.about), groups.group(&choice.about)) else {
        return stays("one of the two is gone");
    };
    let member = groups.member(key);
    if member.withdrawn || member.classification == Classification::Ambiguous {
        return stays("the remark is withdrawn, or waits for a person");
    }
    if member.cluster.is_some_and(|cluster| groups.is_peoples(cluster)) {
        return stays("people decided where the remark belongs");
    }
    if groups.are_apart(groups.group_of(key), target) {
        return stays("people say that they ask for different things");
    }
    let pointing = match target {
        Group::Cluster(cluster) => groups.cluster(cluster).pointing,
        Group::Lone(other) => groups.member(other).pointing(),
    };
    if member.pointing().opposes(pointing) {
        return stays("they point opposite ways");
    }
    let path = member.path.clone();
    let Some(record) = draft.open::<DecisionRecord>(&path)? else { return stays("its record is gone") };
    record.feedback.placed_by = Some(adviser.to_owned());
    if let Group::Lone(other) = target {
        let path = draft.memory.remarks.groups.member(other).path.clone();
        let Some(record) = draft.open::<DecisionRecord>(&path)? else { return stays("its record is gone") };
        record.feedback.placed_by = Some(adviser.to_owned());
    }
    if let (Group::Cluster(own), true) = (target, draft.memory.remarks.groups.group_of(key) == target) {
        let changed = draft.memory.remarks.groups.confirm_judged(key, &policy);
        draft.marks.unsettled.extend(changed);
        draft.regrouped(&[own]);
        return Ok(format!("{} belongs where it is ({adviser})", question.about));
    }
    let groups = &mut draft.memory.remarks.groups;
    if let Some(left) = groups.step_out(key, &policy) {
        leave_proposal(draft, left.cluster, &[key])?;
        if left.is_plain {
            draft.marks.left.insert(left.cluster);
        }
        draft.marks.unsettled.extend(left.changed);
        draft.regrouped(&[left.cluster]);
    }
    let groups = &mut draft.memory.remarks.groups;
    let target = match target {
        Group::Cluster(cluster) => cluster,
        Group::Lone(other) => found(groups, other, hash),
    };
    let changed = groups.join_judged(key, target, &policy);
    groups.cluster_mut(target).not_proposed = None;
    let name = groups.cluster(target).id.clone();
    draft.marks.left.remove(&target);
    draft.marks.unsettled.extend(changed);
    draft.regrouped(&[target]);
    Ok(format!("{} belongs to {name} ({adviser})", question.about))
}

/// A cluster for a remark that stands alone. Its own name may be taken by a group that it left.
fn found(groups: &mut Groups, other: MemberKey, hash: &str) -> ClusterKey {
    let id = groups.member(other).id.clone();
    let own = cluster_id(&id);
    let taken = groups.find_cluster(&own).is_some_and(|cluster| !groups.cluster(cluster).members.is_empty());
    let name = if taken { cluster_id(&format!("{id} {hash}")) } else { own };
    groups.found(other, &name)
}
