//! People's decisions on what belongs together: clusters merged and split, feedback moved, questions answered.
//!
//! A cluster that people changed is marked as taught, and what they keep apart is noted in the clusters' files. Both
//! apply to later comments and survive a rebuild of the index.

use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{Cluster, ClusterKey, ClusterOrComment, Clusters, MemberKey};
use crate::domain::intake::submission::Review;
use crate::domain::records::record::{Judged, Refusal, RefusalCode};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::clusters::removal::leave;
use crate::pipeline::error::{PipelineError, RejectionExt, ReviewResult, impossible, refuse};
use crate::pipeline::rules::commands::{hold_rule, put_rule};
use crate::pipeline::rules::evidence::leave_proposal;
use crate::text::ids::cluster_id;
use std::collections::BTreeSet;

/// Records that two clusters or comments ask for the same: a merge, a move, or a new cluster of two.
pub(crate) fn same(draft: &mut Draft<'_>, review: &Review, a: &str, b: &str) -> ReviewResult {
    let (x, y) = two_groups(draft, a, b)?;
    let memory = &mut draft.memory.remarks.groups;
    let name = |group: ClusterOrComment| memory.group_id(group).to_owned();
    match (x, y) {
        (ClusterOrComment::Cluster(one), ClusterOrComment::Cluster(other)) => {
            // The larger one is kept: fewer records change.
            let weight = |key: ClusterKey| (memory.cluster(key).members.len(), memory.cluster(key).id.clone());
            let (into, from) = if weight(one) >= weight(other) { (x, y) } else { (y, x) };
            let (from, into) = (name(from), name(into));
            merge(draft, review, &from, &into)
        }
        (ClusterOrComment::Cluster(_), ClusterOrComment::Lone(_)) => {
            let (into, feedback) = (name(x), name(y));
            move_feedback(draft, review, &feedback, &into)
        }
        (ClusterOrComment::Lone(_), ClusterOrComment::Cluster(_)) => {
            let (into, feedback) = (name(y), name(x));
            move_feedback(draft, review, &feedback, &into)
        }
        (ClusterOrComment::Lone(one), ClusterOrComment::Lone(other)) => {
            let age = |key: MemberKey| (memory.member(key).at, memory.member(key).id.clone());
            let founder = if age(one) <= age(other) { one } else { other };
            let founder = memory.member(founder).id.clone();
            let fresh = fresh_cluster(memory, &founder, review);
            let key = memory.cluster_named(&fresh);
            memory.assign(key, &[one, other]);
            memory.cluster_mut(key).taught_by = Some(review.review_id.clone());
            draft.regrouped(&[key]);
            draft.counts.rule_events.push(format!("put {a} and {b} together"));
            Ok(format!("{a} and {b} make {fresh} now"))
        }
    }
}

/// Records that two clusters or comments ask for different things, whatever later comments are like.
pub(crate) fn keep_apart(draft: &mut Draft<'_>, review: &Review, a: &str, b: &str) -> ReviewResult {
    two_groups(draft, a, b)?;
    let memory = &mut draft.memory.remarks.groups;
    if !memory.keep_apart(a, b) {
        let message = format!("people said earlier that {a} and {b} ask for different things");
        return refuse(RefusalCode::AlreadyDecided, message);
    }
    // The clusters' files record it; for feedback in no cluster, the review does.
    draft.marks.touched.extend([a, b].into_iter().filter_map(|id| memory.find_cluster(id)));
    draft.counts.rule_events.push(format!("keep {a} and {b} apart"));
    Ok(format!("{a} and {b} stay apart, as {} says", review.reviewer_id))
}

/// Returns where two clusters or comments are now: in different clusters of one agent.
fn two_groups(draft: &Draft<'_>, a: &str, b: &str) -> Result<(ClusterOrComment, ClusterOrComment), Refusal> {
    let memory = &draft.memory.remarks.groups;
    let impossible = |message: String| Refusal { code: RefusalCode::Impossible, message };
    let find = |id: &str| {
        memory.group(id).ok_or_else(|| Refusal {
            code: RefusalCode::UnknownId,
            message: format!("there is no cluster with members, and no feedback that asks for something, {id}"),
        })
    };
    let (x, y) = (find(a)?, find(b)?);
    if x == y {
        let inside = memory.group_id(x);
        return Err(impossible(format!("both are in {inside}; `feedbackd clusters split` takes members out of it")));
    }
    let whom = |group| memory.group_members(group).first().map(|m| memory.member(*m));
    if whom(x).map(|m| (&m.tenant, &m.agent)) != whom(y).map(|m| (&m.tenant, &m.agent)) {
        return Err(impossible("the two are about different agents".to_owned()));
    }
    for group in [x, y] {
        if let ClusterOrComment::Lone(key) = group
            && memory.member(key).classification == Classification::Ambiguous
        {
            let id = &memory.member(key).id;
            return Err(impossible(format!("{id} contradicts earlier feedback; decide that first")));
        }
    }
    Ok((x, y))
}

pub(crate) fn merge(draft: &mut Draft<'_>, review: &Review, from: &str, into: &str) -> ReviewResult {
    if from == into {
        return impossible("a cluster cannot be merged into itself");
    }
    let (from_key, into_key) = (cluster(draft, from)?, cluster(draft, into)?);
    let memory = &mut draft.memory.remarks.groups;
    let (a, b) = (memory.cluster(into_key), memory.cluster(from_key));
    if whom(memory, a) != whom(memory, b) {
        return impossible("the two are about different agents");
    }
    // That they seem to point opposite ways is only the program's reading; people know better.
    let members: Vec<MemberKey> = a.members.iter().chain(&b.members).copied().collect();
    let moved = b.members.len();
    let (decided, proposal) = (b.decided_by.clone(), b.proposal.clone());
    let cluster = memory.cluster_mut(into_key);
    // People's decisions about either apply to both.
    cluster.decided_by = cluster.decided_by.take().or(decided);
    cluster.merged_into = None;
    cluster.taught_by = Some(review.review_id.clone());
    memory.assign(into_key, &members);
    memory.cluster_mut(from_key).merged_into = Some(into.to_owned());
    draft.regrouped(&[from_key, into_key]);
    if let Some(proposal) = proposal {
        follow(draft, &proposal, into_key)?;
    }
    draft.counts.rule_events.push(format!("merge {from} into {into}"));
    Ok(format!("the comments of {from} ({moved}) now belong to {into}, as {} says", review.reviewer_id))
}

/// Links a rule whose cluster was merged to the cluster it was merged into.
fn follow(draft: &mut Draft<'_>, rule: &str, cluster: ClusterKey) -> Result<(), PipelineError> {
    let name = draft.memory.remarks.groups.cluster(cluster).id.clone();
    let Some(mut record) = draft.memory.rule(rule).map(|r| r.record.clone()) else { return Ok(()) };
    if record.cluster_id != name && !record.merged_clusters.contains(&name) {
        if hold_rule(draft, rule).unless_refused()?.is_none() {
            return Ok(());
        }
        record.merged_clusters.push(name);
        put_rule(draft, record)?;
    }
    draft.memory.link_proposal(cluster, rule);
    Ok(())
}

pub(crate) fn split(draft: &mut Draft<'_>, review: &Review, id: &str, feedback_ids: &[String]) -> ReviewResult {
    let key = cluster(draft, id)?;
    let memory = &mut draft.memory.remarks.groups;
    let chosen: BTreeSet<MemberKey> = feedback_ids.iter().filter_map(|id| memory.key_of(id)).collect();
    let inside = chosen.iter().all(|m| memory.member(*m).cluster == Some(key));
    if chosen.is_empty() || chosen.len() != feedback_ids.iter().collect::<BTreeSet<_>>().len() || !inside {
        return impossible(&format!("not all of them are members of {id}"));
    }
    if chosen.len() == memory.cluster(key).members.len() {
        return impossible("nothing would be left of the cluster");
    }
    let members: Vec<MemberKey> = chosen.into_iter().collect();
    let tied = |key: &&MemberKey| memory.member(**key).tied;
    if memory.cluster(key).taught_by.is_none() && members.iter().any(|m| tied(&m)) {
        // What the program took for one demand was not.
        draft.judged = Judged { right: 0, wrong: 1 };
    }
    // No one said that the leaving comments ask for the same as each other.
    leave(draft, &members)?;
    let memory = &mut draft.memory.remarks.groups;
    memory.cluster_mut(key).taught_by = Some(review.review_id.clone());
    for member in &members {
        let alone = memory.member(*member).id.clone();
        memory.keep_apart(id, &alone);
    }
    draft.regrouped(&[key]);
    let (count, stand) = if members.len() == 1 {
        ("1 comment".to_owned(), "stands")
    } else {
        (format!("{} comments", members.len()), "stand")
    };
    draft.counts.rule_events.push(format!("take {count} out of {id}"));
    Ok(format!("{count} of {id} {stand} alone now"))
}

pub(crate) fn move_feedback(draft: &mut Draft<'_>, review: &Review, id: &str, into: &str) -> ReviewResult {
    let into_key = cluster(draft, into)?;
    let memory = &mut draft.memory.remarks.groups;
    let Some(key) = memory.key_of(id) else {
        return refuse(RefusalCode::UnknownId, format!("there is no feedback {id} that asks for something"));
    };
    let member = memory.member(key);
    let from = member.cluster;
    if from == Some(into_key) {
        return impossible(&format!("{id} is in {into}"));
    }
    if member.withdrawn {
        return impossible(&format!("{id} is withdrawn"));
    }
    if member.classification == Classification::Ambiguous {
        return impossible(&format!("{id} contradicts earlier feedback; decide that first"));
    }
    let cluster = memory.cluster(into_key);
    if whom(memory, cluster) != Some((&member.tenant, &member.agent)) {
        return impossible("the two are about different agents");
    }
    let mut members = memory.cluster(into_key).members.clone();
    members.push(key);
    memory.assign(into_key, &members);
    memory.cluster_mut(into_key).taught_by = Some(review.review_id.clone());
    draft.marks.unsettled.insert(key);
    if let Some(from) = from {
        leave_proposal(draft, from, &[key])?;
    }
    draft.regrouped(&from.into_iter().chain([into_key]).collect::<Vec<_>>());
    draft.counts.rule_events.push(format!("move {id} to {into}"));
    Ok(format!("{id} now belongs to {into}"))
}

/// Returns a cluster that has members.
pub(crate) fn cluster(draft: &Draft<'_>, id: &str) -> Result<ClusterKey, Refusal> {
    let memory = &draft.memory.remarks.groups;
    let unknown = || Refusal {
        code: RefusalCode::UnknownId,
        message: format!("there is no cluster {id} with members; `feedbackd clusters list` lists them"),
    };
    memory.find_cluster(id).filter(|key| !memory.cluster(*key).members.is_empty()).ok_or_else(unknown)
}

/// Returns the id of a new cluster founded by a comment. The default id may be taken by the cluster that it leaves, or
/// by one that was merged away.
pub(crate) fn fresh_cluster(memory: &Clusters, founder: &str, review: &Review) -> String {
    let own = cluster_id(founder);
    if memory.find_cluster(&own).is_some() { cluster_id(&format!("{founder} {}", review.review_id)) } else { own }
}

/// Returns the tenant and the agent of a cluster.
fn whom<'m>(memory: &'m Clusters, cluster: &Cluster) -> Option<(&'m String, &'m String)> {
    cluster.members.first().map(|m| memory.member(*m)).map(|m| (&m.tenant, &m.agent))
}
