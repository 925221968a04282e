//! Places demands according to a language model's answer.
//!
//! The answer applies only to those comments: unlike with people's teaching, the cluster does not become an example.

use super::reread::withdraw_empty;
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterKey, ClusterOrComment, Clusters, MemberKey};
use crate::domain::intake::submission::ReviewAction;
use crate::domain::records::record::{DecisionRecord, PlaceReply, Placed, ReviewOutcome};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::clusters::removal::follow_leaving;
use crate::pipeline::error::PipelineError;
use crate::pipeline::working_set::RuleEntry;
use crate::text::ids::cluster_id;
use crate::text::prose::count;
use std::collections::BTreeMap;

/// Places demands where an answer assigns them. Returns the outcome in words.
pub(crate) fn follow_places(
    draft: &mut Draft<'_>,
    reply: &PlaceReply,
    adviser: &str,
    hash: &str,
) -> Result<String, PipelineError> {
    let (mut moved, mut stayed) = (0, 0);
    let mut new: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Placed { feedback_id, group, new: name } in
        reply.places.chunk_by(|a, b| a.feedback_id == b.feedback_id).flat_map(main)
    {
        match (group, name) {
            (Some(group), _) => match put_into(draft, feedback_id, group, adviser, hash)? {
                Ok(_) => moved += 1,
                Err(_) => stayed += 1,
            },
            (None, Some(name)) => new.entry(name).or_default().push(feedback_id),
            (None, None) => stayed += 1,
        }
    }
    let mut founded = 0;
    for feedback in new.into_values() {
        let Some((first, others)) = feedback.split_first() else { continue };
        founded += 1;
        for other in others {
            match put_into(draft, other, first, adviser, hash)? {
                Ok(_) => moved += 1,
                Err(_) => stayed += 1,
            }
        }
    }
    let mut merged = 0;
    for [a, b] in &reply.same {
        merged += u64::from(put_together(draft, a, b, adviser, hash)?.is_ok());
    }
    let mut told = vec![format!("{} placed with others", count(moved, "demand")), format!("{founded} new")];
    if merged > 0 {
        told.push(format!("{} merged", count(merged, "pair")));
    }
    if stayed > 0 {
        told.push(format!("{stayed} unchanged"));
    }
    Ok(format!("{} ({adviser})", told.join(", ")))
}

/// Returns the place of a comment with several placed demands: the first known cluster that one of them names, or else
/// the place of its first demand.
fn main(demands: &[Placed]) -> Option<&Placed> {
    demands.iter().find(|placed| placed.group.is_some()).or(demands.first())
}

/// Merges two clusters, the smaller into the larger, or into the one that has a rule. Returns the outcome, or why they
/// stay apart.
pub(crate) fn put_together(
    draft: &mut Draft<'_>,
    a: &str,
    b: &str,
    adviser: &str,
    hash: &str,
) -> Result<Result<String, String>, PipelineError> {
    if let Some(why) = stays_apart(draft, a, b)? {
        return Ok(Err(why));
    }
    let groups = &draft.memory.remarks.groups;
    let (Some(x), Some(y)) = (groups.group(a), groups.group(b)) else {
        return Ok(Err("one of them is gone".to_owned()));
    };
    let weight = |group: ClusterOrComment| {
        let rule = match group {
            ClusterOrComment::Cluster(key) => {
                groups.cluster(key).proposal.as_deref().and_then(|id| draft.memory.rule(id))
            }
            ClusterOrComment::Lone(_) => None,
        };
        (rule.is_some_and(RuleEntry::is_living), groups.group_members(group).len(), groups.group_id(group).to_owned())
    };
    let (into, from) = if weight(x) >= weight(y) { (x, y) } else { (y, x) };
    let (into, name) = (groups.group_id(into).to_owned(), groups.group_id(from).to_owned());
    let moved: Vec<String> = groups.group_members(from).iter().map(|key| groups.member(*key).id.clone()).collect();
    let mut last = Err("nothing in it could be moved".to_owned());
    for feedback in moved {
        let put = put_into(draft, &feedback, &into, adviser, hash)?;
        last = if put.is_ok() { put } else { last };
    }
    if let ClusterOrComment::Cluster(key) = from {
        withdraw_empty(draft, key)?;
    }
    Ok(last.map(|_| format!("the comments of {name} now belong to {into}")))
}

/// Returns why a model may not merge two clusters, if it may not.
fn stays_apart(draft: &Draft<'_>, a: &str, b: &str) -> Result<Option<String>, PipelineError> {
    let memory = &draft.memory.remarks.groups;
    let (Some(a), Some(b)) = (memory.group(a), memory.group(b)) else {
        return Ok(Some("one of the two is gone".to_owned()));
    };
    if a == b || memory.are_apart(a, b) {
        return Ok(Some("people say that they ask for different things, or they are already together".to_owned()));
    }
    let is_peoples =
        |group: ClusterOrComment| matches!(group, ClusterOrComment::Cluster(key) if memory.is_peoples(key));
    if is_peoples(a) || is_peoples(b) {
        return Ok(Some("people decided what belongs to one of them".to_owned()));
    }
    let (ClusterOrComment::Cluster(x), ClusterOrComment::Cluster(y)) = (a, b) else { return Ok(None) };
    let rule =
        |id: &Option<String>| id.as_ref().filter(|id| draft.memory.rule(id).is_some_and(RuleEntry::is_living)).cloned();
    if let (Some(one), Some(other)) = (rule(&memory.cluster(x).proposal), rule(&memory.cluster(y).proposal))
        && one != other
        && [&one, &other].iter().any(|id| !draft.memory.rule(id).is_some_and(RuleEntry::is_pending))
    {
        return Ok(Some(format!("{one} and {other} are different rules")));
    }
    // Moving a comment from one to the other separates them, and its origin is not recorded.
    let moved = |action: &ReviewAction| match action {
        ReviewAction::MoveFeedback { feedback_id, .. } => {
            memory.key_of(feedback_id).map(|key| memory.group_of(key)).is_some_and(|at| at == a || at == b)
        }
        _ => false,
    };
    let reviews = draft.outside.index.open.reviews()?;
    let by_hand = reviews.iter().any(|(_, r)| r.outcome == ReviewOutcome::Accepted && moved(&r.action));
    Ok(by_hand.then(|| "people moved comments there by hand".to_owned()))
}

/// Moves a comment into the chosen cluster, given by its own id or that of one of its comments. Returns the outcome, or
/// why nothing changes.
pub(crate) fn put_into(
    draft: &mut Draft<'_>,
    about: &str,
    target: &str,
    adviser: &str,
    hash: &str,
) -> Result<Result<String, String>, PipelineError> {
    let stays = |why: &str| Ok(Err(why.to_owned()));
    let (policy, groups) = (draft.memory.remarks.policy, &draft.memory.remarks.groups);
    let (Some(key), Some(target)) = (groups.key_of(about), groups.group(target)) else {
        return stays("one of the two is gone");
    };
    let member = groups.member(key);
    if member.withdrawn || member.classification == Classification::Ambiguous {
        return stays("the comment is withdrawn, or is pending a decision");
    }
    if member.cluster.is_some_and(|cluster| groups.is_peoples(cluster)) {
        return stays("people decided where the comment belongs");
    }
    if groups.are_apart(groups.group_of(key), target) {
        return stays("people say that they ask for different things");
    }
    let rule = member.cluster.and_then(|cluster| groups.cluster(cluster).proposal.as_deref());
    if let Some(rule) =
        rule.filter(|id| draft.memory.rule(id).is_some_and(|rule| rule.is_living() && !rule.is_pending()))
    {
        return Ok(Err(format!("people decided about {rule}")));
    }
    let path = member.path.clone();
    let Some(record) = draft.open::<DecisionRecord>(&path)? else { return stays("its record is gone") };
    record.feedback.placed_by = Some(adviser.to_owned());
    if let ClusterOrComment::Lone(other) = target {
        let path = draft.memory.remarks.groups.member(other).path.clone();
        let Some(record) = draft.open::<DecisionRecord>(&path)? else { return stays("its record is gone") };
        record.feedback.placed_by = Some(adviser.to_owned());
    }
    if let (ClusterOrComment::Cluster(own), true) = (target, draft.memory.remarks.groups.group_of(key) == target) {
        let changed = draft.memory.remarks.groups.confirm_judged(key, &policy);
        draft.marks.unsettled.extend(changed);
        draft.regrouped(&[own]);
        return Ok(Ok(format!("{about} belongs where it is ({adviser})")));
    }
    let groups = &mut draft.memory.remarks.groups;
    if let Some(left) = groups.step_out(key, &policy) {
        follow_leaving(draft, key, left)?;
    }
    let groups = &mut draft.memory.remarks.groups;
    let target = match target {
        ClusterOrComment::Cluster(cluster) => cluster,
        ClusterOrComment::Lone(other) => found(groups, other, hash),
    };
    let changed = groups.join_judged(key, target, &policy);
    groups.cluster_mut(target).not_proposed = None;
    let name = groups.cluster(target).id.clone();
    draft.marks.left.remove(&target);
    draft.marks.unsettled.extend(changed);
    draft.regrouped(&[target]);
    Ok(Ok(format!("{about} belongs to {name} ({adviser})")))
}

/// Founds a cluster for a comment that is alone. Its default id may be taken by a cluster that it left.
pub(crate) fn found(groups: &mut Clusters, other: MemberKey, hash: &str) -> ClusterKey {
    let id = groups.member(other).id.clone();
    let own = cluster_id(&id);
    let taken = groups.find_cluster(&own).is_some_and(|cluster| !groups.cluster(cluster).members.is_empty());
    let name = if taken { cluster_id(&format!("{id} {hash}")) } else { own };
    groups.found(other, &name)
}
