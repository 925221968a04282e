//! Questions about a list: which of these ask for the same?
//!
//! A comment may voice several concerns, most with little probability. If several people's comments may voice the same
//! one, it is unknown which do, and one answer about all of them tells more than many pairs. A list is worth the
//! probability that it holds three comments by two people or more that ask for the same and are not yet in one cluster.

use super::comment::{SHOWN as OF_A_GROUP, ShownComment, said};
use crate::clusters::evaluation::Classification;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::member::Member;
use crate::clusters::state::{ClusterOrComment, Clusters};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Maximum number of comments shown in a list.
const SHOWN: usize = 8;
/// Probability from which a comment may voice a concern.
const MAY: f64 = 0.015;
/// Number of members that show what a cluster is about.
const LOOK_AT: usize = 64;
/// Number of comments, by two people, that make a pattern here.
const NEEDED: usize = 3;
/// How much less likely a comment is to voice a shared concern once people said that it differs.
const DIFFERED: f64 = 0.5;
/// Value of one more comment in a pattern, relative to a new pattern.
const ONE_MORE: f64 = 0.02;
/// Minimum value of a question.
const LEAST: f64 = 0.002;
/// Maximum number of comments a list may share with a better one that is also asked.
const SHARED: usize = 3;

/// Which of these ask for the same thing?
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ListQuestion {
    /// The tenant; left out for the default tenant.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// The agent of all comments.
    pub agent: String,
    /// The concern that they may voice, as an axis of the catalogue.
    #[serde(skip)]
    pub axis: Option<u16>,
    /// A cluster made by people: which of the comments ask for the same?
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<NamedCluster>,
    /// The comments, likeliest first.
    pub remarks: Vec<ShownComment>,
    /// The probability that three of them by two people ask for the same, 0 to 1.
    pub probability: f64,
    /// The value of the answer, to compare questions: the expected share of a new pattern.
    pub gain: f64,
}

/// A cluster made by people, as named in a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NamedCluster {
    /// The cluster's id.
    pub id: String,
    /// Its number of comments.
    pub size: u64,
    /// Those that best show what it is about.
    pub remarks: Vec<ShownComment>,
}

/// A comment that may belong to a list.
#[derive(Clone, Copy)]
struct Candidate {
    key: MemberKey,
    /// The probability that it asks for what the list is about.
    probability: f64,
}

/// A list to ask about.
struct List {
    axis: Option<u16>,
    group: Option<ClusterKey>,
    chosen: Vec<Candidate>,
    probability: f64,
    gain: f64,
}

/// Returns the most valuable lists, best first, at most `limit`; for one agent or all.
pub fn lists(groups: &Clusters, agent: Option<&str>, limit: usize) -> Vec<ListQuestion> {
    let asking = ListContext::new(groups);
    let mut lists: Vec<List> = asking.by_concern(agent).chain(asking.by_group(agent)).collect();
    lists.retain(|list| list.gain >= LEAST);
    lists.sort_by(|a, b| {
        let first = |list: &List| list.chosen.first().map(|c| c.key);
        b.gain.total_cmp(&a.gain).then_with(|| (a.axis, first(a)).cmp(&(b.axis, first(b))))
    });
    let mut taken: Vec<HashSet<MemberKey>> = Vec::new();
    let mut found = Vec::new();
    for list in lists {
        let keys: HashSet<MemberKey> = list.chosen.iter().map(|c| c.key).collect();
        if found.len() >= limit {
            break;
        }
        if taken.iter().all(|other| other.intersection(&keys).count() <= SHARED) {
            found.push(asking.question(&list));
            taken.push(keys);
        }
    }
    found
}

/// The clusters, and what people said about them.
struct ListContext<'g> {
    groups: &'g Clusters,
    apart: HashMap<ClusterOrComment, HashSet<ClusterOrComment>>,
}

impl<'g> ListContext<'g> {
    fn new(groups: &'g Clusters) -> ListContext<'g> {
        let mut apart: HashMap<ClusterOrComment, HashSet<ClusterOrComment>> = HashMap::new();
        for (a, b) in groups.all_apart() {
            if let (Some(a), Some(b)) = (groups.group(a), groups.group(b)) {
                apart.entry(a).or_default().insert(b);
                apart.entry(b).or_default().insert(a);
            }
        }
        ListContext { groups, apart }
    }

    /// Returns lists of comments that may voice one concern.
    fn by_concern(&self, agent: Option<&str>) -> impl Iterator<Item = List> {
        let mut axes: BTreeMap<(&str, &str, u16), Vec<Candidate>> = BTreeMap::new();
        for (key, member) in self.groups.members().filter(|(_, member)| is_asked_about(member, agent)) {
            for (axis, probability) in member.vector.possible().filter(|(_, p)| *p >= MAY) {
                let of = axes.entry((&member.tenant, &member.agent, axis)).or_default();
                of.push(Candidate { key, probability });
            }
        }
        axes.into_iter().flat_map(|((.., axis), mut candidates)| {
            self.best_first(&mut candidates);
            let taught = self.taught(axis, &candidates);
            let open: Vec<Candidate> =
                candidates.into_iter().filter(|c| taught_cluster(self.groups, c.key).is_none()).collect();
            let with = taught.iter().map(|group| self.list(Some(axis), Some(*group), &open, &taught));
            let mut lists: Vec<List> = with.collect();
            lists.push(self.list(Some(axis), None, &open, &taught));
            lists
        })
    }

    /// Returns automatically formed clusters without a known concern, as lists of their own comments.
    fn by_group(&self, agent: Option<&str>) -> impl Iterator<Item = List> {
        let formed = self.groups.clusters().filter(|(_, c)| c.taught_by.is_none() && c.members.len() >= NEEDED);
        formed.filter_map(move |(_, cluster)| {
            let members = cluster.members.iter().map(|key| (*key, self.groups.member(*key)));
            let asked = members.filter(|(_, member)| is_asked_about(member, agent));
            let unnamed = asked.filter(|(_, member)| member.vector.main_axis().is_none());
            let mut open: Vec<Candidate> = unnamed
                .map(|(key, member)| Candidate {
                    key,
                    probability: cluster.sum.mean_cosine(&member.vector).clamp(0.0, 1.0),
                })
                .collect();
            self.best_first(&mut open);
            (open.len() >= NEEDED).then(|| self.list(None, None, &open, &[]))
        })
    }

    fn best_first(&self, candidates: &mut [Candidate]) {
        let place = |c: &Candidate| (self.groups.member(c.key).at, self.groups.member(c.key).id.as_str());
        candidates.sort_by(|a, b| b.probability.total_cmp(&a.probability).then_with(|| place(a).cmp(&place(b))));
    }

    /// Returns the candidates' clusters made by people that are about this concern rather than another.
    fn taught(&self, axis: u16, candidates: &[Candidate]) -> Vec<ClusterKey> {
        let taught: BTreeSet<ClusterKey> =
            candidates.iter().filter_map(|c| taught_cluster(self.groups, c.key)).collect();
        taught.into_iter().filter(|key| self.main_axis(*key) == Some(axis)).collect()
    }

    /// Returns the axis that a cluster's members most likely voice together.
    fn main_axis(&self, key: ClusterKey) -> Option<u16> {
        let mut weights: BTreeMap<u16, f64> = BTreeMap::new();
        for member in self.groups.cluster(key).members.iter().take(LOOK_AT) {
            for (axis, probability) in self.groups.member(*member).vector.possible() {
                *weights.entry(axis).or_default() += probability;
            }
        }
        weights.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(axis, _)| axis)
    }

    /// Returns the best list of these, which are in no cluster made by people: next to such a cluster, or alone.
    fn list(&self, axis: Option<u16>, group: Option<ClusterKey>, open: &[Candidate], taught: &[ClusterKey]) -> List {
        let of = |key: MemberKey| self.groups.group_of(key);
        let are_apart =
            |a: ClusterOrComment, b: ClusterOrComment| self.apart.get(&a).is_some_and(|others| others.contains(&b));
        let fellows: HashSet<ClusterOrComment> =
            open.iter().map(|c| of(c.key)).chain(taught.iter().map(|t| ClusterOrComment::Cluster(*t))).collect();
        let mut weighed: Vec<Candidate> = open.to_vec();
        for candidate in &mut weighed {
            let differed = self.apart.get(&of(candidate.key)).is_some_and(|others| !others.is_disjoint(&fellows));
            if differed {
                candidate.probability *= DIFFERED;
            }
        }
        self.best_first(&mut weighed);
        let mut chosen: Vec<Candidate> = Vec::new();
        for candidate in weighed {
            let own = of(candidate.key);
            // A comment's match with a cluster made by people is asked next to that cluster.
            let asked = match group {
                Some(group) => are_apart(own, ClusterOrComment::Cluster(group)),
                None => taught.iter().any(|t| !are_apart(own, ClusterOrComment::Cluster(*t))),
            };
            if !asked && chosen.len() < SHOWN && !chosen.iter().any(|c| are_apart(own, of(c.key))) {
                chosen.push(candidate);
            }
        }
        let (probability, gain) = self.worth(group, &chosen);
        List { axis, group, chosen, probability, gain }
    }

    /// Returns the probability that a list holds a pattern, and the expected value of the answer.
    fn worth(&self, group: Option<ClusterKey>, chosen: &[Candidate]) -> (f64, f64) {
        let mut voices: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for candidate in chosen {
            voices.entry(&self.groups.member(candidate.key).reviewer).or_default().push(candidate.probability);
        }
        let known = group.map(|group| self.groups.cluster(group));
        for (reviewer, count) in known.iter().flat_map(|known| &known.reviewers) {
            voices.entry(reviewer).or_default().extend((0..(*count).min(NEEDED as u64)).map(|_| 1.0));
        }
        let probability = pattern(&voices.into_values().collect::<Vec<_>>());
        let expected: f64 = chosen.iter().map(|c| c.probability).sum();
        if known.is_some_and(|known| known.members.len() >= NEEDED && known.reviewers.len() >= 2) {
            return (probability, ONE_MORE * expected);
        }
        (probability, probability - self.known(chosen))
    }

    /// Returns the probability that an automatically formed pattern among these is right: known without an answer.
    fn known(&self, chosen: &[Candidate]) -> f64 {
        let clusters: BTreeSet<ClusterKey> = chosen.iter().filter_map(|c| self.groups.member(c.key).cluster).collect();
        let patterns = clusters.into_iter().map(|key| self.groups.cluster(key));
        let patterns = patterns.filter(|c| c.tied() >= NEEDED as u64 && c.voices() >= 2);
        patterns.map(|c| c.sum.mean_pairwise_cosine().clamp(0.0, 1.0)).fold(0.0, f64::max)
    }

    fn question(&self, list: &List) -> ListQuestion {
        let hundredths = |x: f64| (x * 100.0).round() / 100.0;
        let members: Vec<&Member> = list.chosen.iter().map(|c| self.groups.member(c.key)).collect();
        let group = list.group.map(|key| {
            let cluster = self.groups.cluster(key);
            let shown = self.groups.representatives(key, OF_A_GROUP);
            NamedCluster {
                id: cluster.id.clone(),
                size: cluster.members.len() as u64,
                remarks: shown.into_iter().map(said).collect(),
            }
        });
        ListQuestion {
            tenant: members.first().map(|m| m.tenant.clone()).unwrap_or_default(),
            agent: members.first().map(|m| m.agent.clone()).unwrap_or_default(),
            axis: list.axis,
            group,
            remarks: members.into_iter().map(said).collect(),
            probability: hundredths(list.probability),
            gain: hundredths(list.gain),
        }
    }
}

/// Reports whether people are asked about a comment: a contradiction awaits another answer.
fn is_asked_about(member: &Member, agent: Option<&str>) -> bool {
    !member.withdrawn
        && member.classification != Classification::Ambiguous
        && agent.is_none_or(|agent| member.agent == agent)
}

/// Returns a comment's cluster, if people assigned it there.
fn taught_cluster(groups: &Clusters, key: MemberKey) -> Option<ClusterKey> {
    let member = groups.member(key);
    member.cluster.filter(|cluster| member.tied && groups.cluster(*cluster).taught_by.is_some())
}

/// Returns the probability that three comments or more by two people or more ask for the same, given the probabilities
/// of each person's comments.
fn pattern(voices: &[Vec<f64>]) -> f64 {
    let all: Vec<f64> = voices.iter().flatten().copied().collect();
    let none = |of: &[f64]| of.iter().map(|p| 1.0 - p).product::<f64>();
    let by_one = voices.iter().enumerate().map(|(at, own)| {
        let others: f64 = voices.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, v)| none(v)).product();
        at_least(own) * others
    });
    (at_least(&all) - by_one.sum::<f64>()).clamp(0.0, 1.0)
}

/// Returns the probability of three or more of these independent events.
fn at_least(events: &[f64]) -> f64 {
    let mut counts = [0.0; NEEDED];
    counts[0] = 1.0;
    for p in events {
        for count in (0..NEEDED).rev() {
            let before = if count > 0 { counts[count - 1] } else { 0.0 };
            counts[count] = counts[count] * (1.0 - p) + before * p;
        }
    }
    1.0 - counts.iter().sum::<f64>()
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
