//! People's answers about a list of comments: which of them ask for the same, and which ask for nothing that a rule
//! could cover.
//!
//! Those that ask for the same form one cluster, or join the one they name. The others shown are kept apart from it, so
//! that the question is not asked again. What an answer implies about automatically formed clusters is counted.

use super::cluster_edits::{fresh_cluster, merge};
use super::comment_marks::{comparable, mark_all};
use crate::domain::clusters::evaluation::Classification;
use crate::domain::clusters::{ClusterKey, ClusterOrComment, MemberKey};
use crate::domain::intake::submission::{Mark, Review};
use crate::domain::records::record::{Judged, RefusalCode};
use crate::pipeline::batch::draft::Draft;
use crate::pipeline::clusters::removal::leave;
use crate::pipeline::error::{PipelineError, ReviewResult, Stop, impossible, refuse};
use std::collections::{BTreeMap, BTreeSet};

/// The share of a cluster's comments that must ask for the same for the cluster to be right.
const RIGHT: f64 = 0.8;

/// An answer about a list.
pub(crate) struct ListAnswer<'a> {
    pub same: &'a [String],
    pub others: &'a [String],
    pub nothing: &'a [String],
    pub particular: &'a [String],
    pub into: Option<&'a str>,
}

/// Applies an answer about a list.
pub(crate) fn sort(draft: &mut Draft<'_>, review: &Review, said: &ListAnswer<'_>) -> ReviewResult {
    let same = remarks(draft, said.same)?;
    let others = remarks(draft, said.others)?;
    let marked: Vec<(&str, Mark)> = (said.nothing.iter().map(|id| (id.as_str(), Mark::Nothing)))
        .chain(said.particular.iter().map(|id| (id.as_str(), Mark::Particular)))
        .collect();
    let gone = remarks(draft, &marked.iter().map(|(id, _)| (*id).to_owned()).collect::<Vec<_>>())?;
    let into = said.into.map(|id| known_group(draft, id)).transpose()?;
    one_agent(draft, same.iter().chain(&others).chain(&gone), into)?;
    if into.is_none() && same.len() == 1 {
        return impossible("a single comment cannot be the same as nothing; leave it with the others, or name `into`");
    }
    if into.is_none() && same.is_empty() && others.len() == 1 {
        return impossible("a single comment cannot differ from nothing; name what it differs from");
    }
    draft.judged = judge(draft, &same, &others, &gone);
    if !marked.is_empty() {
        mark_all(draft, review, &marked)?;
    }
    let told = match (same.is_empty(), into) {
        (true, None) => {
            all_differ(draft, &others)?;
            format!("{} comments each ask for something else", others.len())
        }
        _ => {
            let (target, members) = target(draft, review, &same, into)?;
            let name = gather(draft, review, target, &members, &same, &others)?;
            match same.len() {
                0 => format!("none of {} asks for what {name} asks for", others.len()),
                count => format!("{count} comments belong to {name}, {} do not", others.len()),
            }
        }
    };
    let of = same.len() + others.len() + gone.len();
    draft.counts.rule_events.push(format!("say which of {of} comments ask for the same"));
    Ok(match marked.len() {
        0 => told,
        1 => format!("{told}; 1 asks for nothing that a rule could say"),
        count => format!("{told}; {count} ask for nothing that a rule could say"),
    })
}

/// Returns the comments with these ids, all of which must be comparable.
fn remarks(draft: &Draft<'_>, ids: &[String]) -> Result<Vec<MemberKey>, Stop> {
    let groups = &draft.memory.remarks.groups;
    let mut found = Vec::new();
    for id in ids {
        let key = comparable(draft, id)?;
        if groups.member(key).classification == Classification::Ambiguous {
            return impossible(&format!("{id} contradicts earlier feedback; decide that first"));
        }
        found.push(key);
    }
    Ok(found)
}

fn known_group(draft: &Draft<'_>, id: &str) -> Result<ClusterOrComment, Stop> {
    match draft.memory.remarks.groups.group(id) {
        Some(group) => Ok(group),
        None => refuse(RefusalCode::UnknownId, format!("there is no cluster with members, and no feedback, {id}")),
    }
}

fn one_agent<'k>(
    draft: &Draft<'_>,
    keys: impl Iterator<Item = &'k MemberKey>,
    into: Option<ClusterOrComment>,
) -> Result<(), Stop> {
    let groups = &draft.memory.remarks.groups;
    let first = into.and_then(|group| groups.group_members(group).first().copied());
    let whom = |key: MemberKey| (&groups.member(key).tenant, &groups.member(key).agent);
    let all: BTreeSet<_> = keys.copied().chain(first).map(whom).collect();
    if all.len() > 1 { impossible("they are about different agents") } else { Ok(()) }
}

/// Counts what the answer implies about automatically formed clusters, each by its comments in the list.
fn judge(draft: &Draft<'_>, same: &[MemberKey], others: &[MemberKey], gone: &[MemberKey]) -> Judged {
    let groups = &draft.memory.remarks.groups;
    // By cluster: how many are together, how many ask for something else, how many for nothing.
    let mut shown: BTreeMap<ClusterKey, [usize; 3]> = BTreeMap::new();
    for (place, keys) in [same, others, gone].into_iter().enumerate() {
        for key in keys {
            let member = groups.member(*key);
            if let (Some(cluster), true) = (member.cluster, member.tied)
                && groups.cluster(cluster).taught_by.is_none()
            {
                shown.entry(cluster).or_default()[place] += 1;
            }
        }
    }
    let mut judged = Judged::default();
    for [together, differ, nothing] in shown.into_values().filter(|counts| counts.iter().sum::<usize>() >= 2) {
        let all = (together + differ + nothing) as f64;
        if together as f64 >= RIGHT * all {
            judged.right += 1;
        } else if together > 0 || same.is_empty() || nothing as f64 > (1.0 - RIGHT) * all {
            judged.wrong += 1;
        }
        // Otherwise they may still ask for the same as each other, just not for what the others ask for.
    }
    judged
}

/// Returns the cluster for comments with the same demand, and its resulting members: one that people formed, one that
/// most of its listed comments belong to, or a new one.
fn target(
    draft: &mut Draft<'_>,
    review: &Review,
    same: &[MemberKey],
    into: Option<ClusterOrComment>,
) -> Result<(ClusterKey, Vec<MemberKey>), Stop> {
    let groups = &draft.memory.remarks.groups;
    let mut sources: BTreeMap<ClusterKey, usize> = BTreeMap::new();
    same.iter().filter_map(|key| groups.member(*key).cluster).for_each(|c| *sources.entry(c).or_default() += 1);
    let mut alone = same.to_vec();
    match into {
        Some(ClusterOrComment::Cluster(key)) => *sources.entry(key).or_default() += same.len() + 1,
        Some(ClusterOrComment::Lone(key)) => alone.push(key),
        None => {}
    }
    let taught = |key: &ClusterKey| groups.cluster(*key).taught_by.is_some();
    let mut known: Vec<ClusterKey> = sources.keys().copied().filter(|key| taught(key)).collect();
    known.sort_by_key(|key| (std::cmp::Reverse(groups.cluster(*key).members.len()), *key));
    let holds = |(key, count): &(&ClusterKey, &usize)| 2 * **count >= groups.cluster(**key).members.len();
    let own = sources.iter().filter(holds).max_by_key(|(key, count)| (**count, std::cmp::Reverse(**key)));
    let named = if let Some(ClusterOrComment::Cluster(key)) = into { Some(key) } else { None };
    let chosen = named.or(known.first().copied()).or(own.map(|(key, _)| *key));
    let Some(target) = chosen else {
        let founder = alone.iter().copied().min_by_key(|key| (groups.member(*key).at, groups.member(*key).id.clone()));
        let founder = founder.map(|key| groups.member(key).id.clone()).unwrap_or_default();
        let fresh = fresh_cluster(groups, &founder, review);
        return Ok((draft.memory.remarks.groups.cluster_named(&fresh), alone));
    };
    // What people said earlier of two clusters, and now of both, applies to all of them.
    let name = groups.cluster(target).id.clone();
    let merged: Vec<String> =
        known.iter().filter(|key| **key != target).map(|key| groups.cluster(*key).id.clone()).collect();
    for from in merged {
        merge(draft, review, &from, &name)?;
    }
    let mut members = draft.memory.remarks.groups.cluster(target).members.clone();
    members.extend(alone.iter().filter(|key| !members.contains(key)).copied().collect::<Vec<_>>());
    Ok((target, members))
}

/// Puts comments with the same demand together and keeps the others apart from them. Returns the cluster's id.
fn gather(
    draft: &mut Draft<'_>,
    review: &Review,
    target: ClusterKey,
    members: &[MemberKey],
    same: &[MemberKey],
    others: &[MemberKey],
) -> Result<String, PipelineError> {
    let leaving: Vec<MemberKey> = others.iter().filter(|key| members.contains(key)).copied().collect();
    leave(draft, &leaving)?;
    let groups = &draft.memory.remarks.groups;
    let staying: Vec<MemberKey> = members.iter().filter(|key| !leaving.contains(key)).copied().collect();
    let was_taught = groups.cluster(target).taught_by.is_some();
    let loose = |key: &&MemberKey| {
        !groups.member(**key).tied && !same.contains(key) && groups.member(**key).cluster == Some(target)
    };
    let loose: Vec<MemberKey> = staying.iter().filter(loose).copied().collect();
    // Comments from other clusters leave them, and their evidence.
    let moved: Vec<MemberKey> =
        staying.iter().filter(|key| groups.member(**key).cluster != Some(target)).copied().collect();
    leave(draft, &moved)?;
    let groups = &mut draft.memory.remarks.groups;
    groups.assign(target, &staying);
    // No one was shown these: they stay loosely tied to the cluster.
    groups.loosen(&loose);
    let cluster = groups.cluster_mut(target);
    cluster.merged_into = None;
    if !same.is_empty() || !was_taught {
        cluster.taught_by = Some(review.review_id.clone());
        cluster.not_proposed = None;
    }
    let name = cluster.id.clone();
    for key in others {
        let id = groups.member(*key).id.clone();
        groups.keep_apart(&id, &name);
    }
    draft.marks.unsettled.extend(staying.iter().chain(others));
    draft.regrouped(&[target]);
    Ok(name)
}

/// Records that each asks for something else: what the program put together is split. What people put together stays.
fn all_differ(draft: &mut Draft<'_>, keys: &[MemberKey]) -> Result<(), PipelineError> {
    let groups = &draft.memory.remarks.groups;
    let taught = |key: &MemberKey| groups.member(*key).cluster.filter(|c| groups.cluster(*c).taught_by.is_some());
    let mut together: BTreeMap<ClusterKey, Vec<MemberKey>> = BTreeMap::new();
    for key in keys.iter().filter(|key| taught(key).is_none()) {
        if let Some(cluster) = groups.member(*key).cluster {
            together.entry(cluster).or_default().push(*key);
        }
    }
    let leaving: Vec<MemberKey> = together.into_values().filter(|members| members.len() > 1).flatten().collect();
    leave(draft, &leaving)?;
    let groups = &mut draft.memory.remarks.groups;
    // By the ids in the review: a start reads them from there.
    let ids: Vec<String> = keys.iter().map(|key| groups.member(*key).id.clone()).collect();
    for (at, a) in ids.iter().enumerate() {
        for b in &ids[..at] {
            groups.keep_apart(a, b);
        }
    }
    draft.marks.unsettled.extend(keys);
    Ok(())
}
