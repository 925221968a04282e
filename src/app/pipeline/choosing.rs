//! To which of the nearest groups a remark belongs that was read, where the vectors cannot tell: which question is put to
//! the language model next, and what follows from its answer.
//!
//! The answer counts for the remark alone: the group is no example because of it, as it is where people teach.

use super::draft::Draft;
use super::error::PipelineError;
use super::leaving::follow_leaving;
use super::memory::{Memory, about_key, advice_key, reading_key};
use crate::app::evaluator::Evaluator;
use crate::domain::grouping::evaluation::Classification;
use crate::domain::grouping::{ClusterKey, Group, Groups, LOOKED_AT, MemberKey};
use crate::domain::ids::{CommitId, cluster_id, fingerprint};
use crate::domain::records::record::DecisionRecord;
use crate::domain::rules::drafting::advice::{
    AdviceQuestion, CHOICE_REMARKS, CHOICES, Choice, ChoiceQuestion, Offered,
};
use crate::ports::KnowledgeError;

/// The raw link from which a group is worth asking about.
const ASKED_FROM: f64 = 0.03;
/// The raw link from which one answer is enough. Of real remarks with this link two of five and more ask for the same; with a
/// link of 0.2 one in fourteen does, and where one answer in ten is wrong, one in four that names such a group would be.
const NEAR: f64 = 0.35;
/// How many other groups a question from the other side shows, and the raw link that these do not have: what is nearer may be
/// right, too.
const STRANGERS: usize = 2;
const STRANGE: f64 = 0.1;

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
        for (claimant, beside) in &memory.claims {
            let question = confirming(memory, evaluator, claimant, beside)?;
            let is_new = |q: &ChoiceQuestion| !memory.knows(&advice_key(&AdviceQuestion::Choice(q.clone()).hash()));
            if let Some(question) = question.filter(is_new) {
                return Ok(Some(question));
            }
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

fn question(groups: &Groups, key: MemberKey, near: &[(Group, f64)]) -> ChoiceQuestion {
    let member = groups.member(key);
    let offered = near.iter().map(|(group, link)| {
        let remarks = match group {
            Group::Cluster(cluster) => groups.representatives(*cluster, CHOICE_REMARKS + 1),
            Group::Lone(other) => vec![groups.member(*other)],
        };
        // A group that it leans on is shown by its other members.
        let others = remarks.iter().filter(|shown| shown.id != member.id).take(CHOICE_REMARKS);
        Offered {
            about: groups.group_id(*group),
            remarks: others.map(|shown| (shown.id.as_str(), shown.text.as_str())).collect(),
            is_near: *link >= NEAR,
        }
    });
    let demand = member.sentence.as_deref().unwrap_or_default();
    ChoiceQuestion::new(&member.id, &member.agent, demand, &member.text, offered)
}

/// Asks from the other side whether a remark belongs beside another one: to which of the remark and some strangers that
/// belongs. `None` where one of the two found its place meanwhile.
fn confirming(
    memory: &Memory,
    evaluator: Evaluator<'_>,
    claimant: &str,
    beside: &[String],
) -> Result<Option<ChoiceQuestion>, KnowledgeError> {
    let groups = &memory.remarks.groups;
    let beside = beside.first().and_then(|id| groups.key_of(id));
    let (Some(key), Some(beside)) = (groups.key_of(claimant), beside) else { return Ok(None) };
    let (own, other) = (groups.group_of(key), groups.group_of(beside));
    if own == other || groups.member(beside).withdrawn || groups.member(key).tied {
        return Ok(None);
    }
    let near = evaluator.groups_around(beside, ASKED_FROM, LOOKED_AT)?.into_iter();
    let strangers = near.filter(|(group, link)| *link < STRANGE && *group != own && *group != other).take(STRANGERS);
    let mut offered: Vec<(Group, f64)> = strangers.chain([(Group::Lone(key), 0.0)]).collect();
    // In no order that tells which of them is meant.
    offered.sort_by_key(|(group, _)| fingerprint(groups.group_id(*group)));
    Ok(Some(ChoiceQuestion { confirms: Some(claimant.to_owned()), ..question(groups, beside, &offered) }))
}

/// What comes of an answer, in words.
pub(super) fn follow_choice(
    draft: &mut Draft<'_>,
    question: &ChoiceQuestion,
    named: Option<&Choice>,
    adviser: &str,
    hash: &str,
) -> Result<String, PipelineError> {
    match (&question.confirms, named) {
        (Some(claimant), Some(choice)) if choice.shows.contains(claimant) => {
            draft.memory.claims.remove(claimant);
            put_into(draft, claimant, &question.about, adviser, hash)
        }
        (Some(claimant), _) => Ok(drop_claim(&mut draft.memory, claimant, &question.about)),
        (None, None) => Ok("it belongs to none of them".to_owned()),
        (None, Some(choice)) if choice.is_near => put_into(draft, &question.about, &choice.about, adviser, hash),
        (None, Some(choice)) => {
            draft.memory.claims.insert(question.about.clone(), choice.shows.clone());
            Ok(format!("it may belong to {}, which is not near: that is asked from the other side", choice.about))
        }
    }
}

/// A remark of the group says that the claimant does not belong beside it. Another one may say so yet.
fn drop_claim(memory: &mut Memory, claimant: &str, beside: &str) -> String {
    if let Some(mut left) = memory.claims.remove(claimant) {
        left.retain(|id| id != beside);
        if !left.is_empty() {
            memory.claims.insert(claimant.to_owned(), left);
        }
    }
    format!("{claimant} does not belong to {beside}: two answers differ")
}

/// Puts a remark into the group that was chosen, named by itself or by one of its remarks. What came of it, in words.
fn put_into(
    draft: &mut Draft<'_>,
    about: &str,
    target: &str,
    adviser: &str,
    hash: &str,
) -> Result<String, PipelineError> {
    let stays = |why: &str| Ok(format!("everything stays as it is: {why}"));
    let (policy, groups) = (draft.memory.remarks.policy, &draft.memory.remarks.groups);
    let (Some(key), Some(target)) = (groups.key_of(about), groups.group(target)) else {
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
        return Ok(format!("{about} belongs where it is ({adviser})"));
    }
    let groups = &mut draft.memory.remarks.groups;
    if let Some(left) = groups.step_out(key, &policy) {
        follow_leaving(draft, key, left)?;
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
    Ok(format!("{about} belongs to {name} ({adviser})"))
}

/// A cluster for a remark that stands alone. Its own name may be taken by a group that it left.
fn found(groups: &mut Groups, other: MemberKey, hash: &str) -> ClusterKey {
    let id = groups.member(other).id.clone();
    let own = cluster_id(&id);
    let taken = groups.find_cluster(&own).is_some_and(|cluster| !groups.cluster(cluster).members.is_empty());
    let name = if taken { cluster_id(&format!("{id} {hash}")) } else { own };
    groups.found(other, &name)
}
