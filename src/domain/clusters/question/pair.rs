//! Questions about two clusters or comments: do these two ask for the same thing?
//!
//! The value of a question is what a yes would merge, times its probability. Pairs that almost certainly differ are not
//! asked, nor those already answered. Finding near comments is up to the caller; nothing here compares all with all
//! except the clusters of one agent.
//!
//! Some clusters are near many others because their comments are short or general. What counts is therefore how much
//! nearer two are to each other than each is to its nearest others (local scaling, as in CSLS), not how near they are.

use super::comment::{SHOWN, ShownComment, said};
use crate::clusters::evaluation::Classification;
use crate::clusters::keys::MemberKey;
use crate::clusters::member::Member;
use crate::clusters::polarity::Polarity;
use crate::clusters::state::{ClusterOrComment, Clusters};
use crate::text::language::similarity::VectorSum;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Number of members of a cluster from which near comments are sought.
const COMPARED: usize = 8;
/// Number of nearest clusters that show how near a side is to clusters in general.
const NEIGHBOURHOOD: usize = 8;
/// The probability for pairs much nearer to each other than to all else; where half of it is reached; and how steeply
/// it rises there. Measured on labelled streams (80 questions of each): of the clearest pairs, five of eight are the
/// same, because obvious matches are already merged.
const MOST: f64 = 0.7;
const HALF: f64 = 0.07;
const STEEP: f64 = 40.0;
/// Minimum probability for a question.
const LEAST: f64 = 0.1;
/// Maximum number of unclustered comments compared with each other.
const LONE: usize = 500;

/// One side of a question: a cluster, or a comment in none.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Side {
    /// The cluster's id, or the feedback's.
    pub id: String,
    /// Whether it is a cluster.
    pub is_cluster: bool,
    /// Its number of comments.
    pub size: u64,
    /// The number of comments by reviewer.
    pub reviewers: BTreeMap<String, u64>,
    /// Those that best show what it is about; the first is its title.
    pub remarks: Vec<ShownComment>,
}

/// Whether two sides ask for the same thing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Question {
    /// The tenant; left out for the default tenant.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// The agent of both.
    pub agent: String,
    /// The larger side.
    pub a: Side,
    /// The other side.
    pub b: Side,
    /// The probability that they ask for the same, 0 to 1.
    pub probability: f64,
    /// The expected gain from the answer, to compare questions.
    pub gain: f64,
}

/// Returns the most valuable questions, best first, at most `limit`; for one agent or all.
///
/// `near` finds the comments nearest to one, of the same tenant and agent; the result may be incomplete. Of questions
/// that a yes to an earlier one would make equal, one is asked.
///
/// # Errors
/// Errors from `near`.
pub fn questions<E>(
    groups: &Clusters,
    agent: Option<&str>,
    limit: usize,
    near: &dyn Fn(&Member) -> Result<Vec<MemberKey>, E>,
) -> Result<Vec<Question>, E> {
    let units = units(groups, agent);
    let apart: BTreeSet<(ClusterOrComment, ClusterOrComment)> = groups
        .all_apart()
        .filter_map(|(a, b)| Some((groups.group(a)?, groups.group(b)?)))
        .flat_map(|(a, b)| [(a, b), (b, a)])
        .collect();
    let mut general: HashMap<usize, f64> = HashMap::new();
    let mut pairs: Vec<Pair> = Vec::new();
    for (a, b) in candidates(groups, &units, limit, near)? {
        if apart.contains(&(units[a].group, units[b].group)) {
            continue;
        }
        let [near_a, near_b] = [a, b].map(|at| *general.entry(at).or_insert_with(|| neighbourhood(&units, at)));
        let same = same(units[a].sum.mean_cross_cosine(&units[b].sum) - (near_a + near_b) / 2.0);
        if same >= LEAST {
            pairs.push(Pair { a, b, same });
        }
    }
    let chosen = choose(&units, pairs, limit);
    Ok(chosen.into_iter().map(|(pair, gain)| question(groups, &units, &pair, gain)).collect())
}

/// A possible subject of a question.
struct Unit<'m> {
    group: ClusterOrComment,
    whom: (&'m str, &'m str),
    pointing: Polarity,
    size: f64,
    sum: VectorSum,
    /// Members that represent the others in the search for the nearest.
    compared: Vec<MemberKey>,
}

struct Pair {
    a: usize,
    b: usize,
    same: f64,
}

/// Returns the clusters, largest first, then the comments in none.
fn units<'m>(groups: &'m Clusters, agent: Option<&str>) -> Vec<Unit<'m>> {
    let wanted = |member: &Member| agent.is_none_or(|agent| member.agent == agent);
    let mut units = Vec::new();
    for (key, cluster) in groups.clusters() {
        let Some(first) = cluster.members.first().map(|m| groups.member(*m)).filter(|m| wanted(m)) else { continue };
        // In a fixed order, so that rebuilt clusters yield the same questions.
        let mut members = cluster.members.clone();
        members.sort_by_key(|m| (groups.member(*m).at, &groups.member(*m).id));
        let step = members.len().div_ceil(COMPARED);
        units.push(Unit {
            group: ClusterOrComment::Cluster(key),
            whom: (&first.tenant, &first.agent),
            pointing: cluster.pointing,
            size: cluster.members.len() as f64,
            sum: cluster.sum.clone(),
            compared: members.into_iter().step_by(step.max(1)).collect(),
        });
    }
    units
        .sort_by(|a, b| b.size.total_cmp(&a.size).then_with(|| groups.group_id(a.group).cmp(groups.group_id(b.group))));
    let mut lone: Vec<(MemberKey, &Member)> = groups.members().collect();
    lone.sort_by_key(|(_, member)| (member.at, &member.id));
    for (key, member) in lone {
        let waits = member.withdrawn || member.classification == Classification::Ambiguous;
        if member.cluster.is_some() || waits || !wanted(member) {
            continue;
        }
        let mut sum = VectorSum::default();
        sum.add(&member.vector);
        units.push(Unit {
            group: ClusterOrComment::Lone(key),
            whom: (&member.tenant, &member.agent),
            pointing: member.pointing(),
            size: 1.0,
            sum,
            compared: vec![key],
        });
    }
    units
}

/// Returns the pairs to examine: all clusters of an agent, and whatever is near one of their members.
fn candidates<E>(
    groups: &Clusters,
    units: &[Unit<'_>],
    limit: usize,
    near: &dyn Fn(&Member) -> Result<Vec<MemberKey>, E>,
) -> Result<BTreeSet<(usize, usize)>, E> {
    let place: HashMap<ClusterOrComment, usize> = units.iter().enumerate().map(|(at, unit)| (unit.group, at)).collect();
    let clusters = units.iter().take_while(|u| matches!(u.group, ClusterOrComment::Cluster(_))).count();
    let fits = |a: &Unit<'_>, b: &Unit<'_>| a.whom == b.whom && !a.pointing.opposes(b.pointing);
    let mut found = BTreeSet::new();
    for a in 0..clusters {
        found.extend((a + 1..clusters).filter(|b| fits(&units[a], &units[*b])).map(|b| (a, b)));
    }
    let mut look_around = |at: usize| {
        for key in &units[at].compared {
            for other in near(groups.member(*key))? {
                let Some(other) = place.get(&groups.group_of(other)).copied() else { continue };
                if other != at && fits(&units[at], &units[other]) {
                    found.insert((at.min(other), at.max(other)));
                }
            }
        }
        Ok(())
    };
    (0..clusters).try_for_each(&mut look_around)?;
    // Two comments hardly make a cluster: only if there is little else to ask.
    if clusters < limit {
        (clusters..units.len()).rev().take(LONE).try_for_each(&mut look_around)?;
    }
    Ok(found)
}

/// Returns how near a side is to its nearest clusters: the mean of their links. Missing ones count as far.
fn neighbourhood(units: &[Unit<'_>], at: usize) -> f64 {
    let unit = &units[at];
    let groups = units.iter().enumerate().take_while(|(_, u)| matches!(u.group, ClusterOrComment::Cluster(_)));
    let others = groups.filter(|(other, u)| *other != at && u.whom == unit.whom);
    let mut links: Vec<f64> = others.map(|(_, u)| u.sum.mean_cross_cosine(&unit.sum).max(0.0)).collect();
    links.sort_by(|a, b| b.total_cmp(a));
    links.iter().take(NEIGHBOURHOOD).sum::<f64>() / NEIGHBOURHOOD as f64
}

/// Returns the probability that two ask for the same, by how much nearer they are to each other than to others.
fn same(nearer: f64) -> f64 {
    MOST / (1.0 + (-STEEP * (nearer - HALF)).exp())
}

/// Picks the best question, assumes a yes with its probability, and picks the next one.
fn choose(units: &[Unit<'_>], mut pairs: Vec<Pair>, limit: usize) -> Vec<(Pair, f64)> {
    let mut class: Vec<usize> = (0..units.len()).collect();
    let mut size: Vec<f64> = units.iter().map(|u| u.size).collect();
    let mut chosen = Vec::new();
    while chosen.len() < limit {
        // A yes lets each comment of the two parts find the share of similar comments in the other part: 2ab/(a+b).
        let gain = |p: &Pair| {
            let (a, b) = (size[class[p.a]], size[class[p.b]]);
            p.same * 2.0 * a * b / (a + b)
        };
        let best = pairs.iter().enumerate().map(|(at, pair)| (gain(pair), at));
        let Some((gain, at)) = best.max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1))) else { break };
        let pair = pairs.remove(at);
        let (into, from) = (class[pair.a], class[pair.b]);
        size[into] += pair.same * size[from];
        class.iter_mut().filter(|c| **c == from).for_each(|c| *c = into);
        pairs.retain(|p| class[p.a] != class[p.b]);
        chosen.push((pair, gain));
    }
    chosen
}

fn question(groups: &Clusters, units: &[Unit<'_>], pair: &Pair, gain: f64) -> Question {
    let (a, b) = (&units[pair.a], &units[pair.b]);
    let (tenant, agent) = a.whom;
    let hundredths = |x: f64| (x * 100.0).round() / 100.0;
    Question {
        tenant: tenant.to_owned(),
        agent: agent.to_owned(),
        a: side(groups, a.group),
        b: side(groups, b.group),
        probability: hundredths(pair.same),
        gain: hundredths(gain),
    }
}

fn side(groups: &Clusters, group: ClusterOrComment) -> Side {
    let (remarks, reviewers) = match group {
        ClusterOrComment::Cluster(key) => (groups.representatives(key, SHOWN), groups.cluster(key).reviewers.clone()),
        ClusterOrComment::Lone(key) => {
            let member = groups.member(key);
            (vec![member], BTreeMap::from([(member.reviewer.clone(), 1)]))
        }
    };
    Side {
        id: groups.group_id(group).to_owned(),
        is_cluster: matches!(group, ClusterOrComment::Cluster(_)),
        size: reviewers.values().sum(),
        reviewers,
        remarks: remarks.into_iter().map(said).collect(),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
