//! The core of a group: remarks of which each is sure to ask for the same as each other one. They alone make a pattern and
//! stand behind its rule; the other members lean on them and are not counted.

use super::kept::Groups;
use crate::domain::grouping::keys::{ClusterKey, MemberKey};
use crate::domain::grouping::policy::Policy;

/// How many members are compared with each other: a larger group's core is found among its nearest.
const COMPARED: usize = 48;

impl Groups {
    /// Finds a cluster's core anew. Returns the members that became part of it or are not part of it any more. Where people
    /// said what belongs to it, all that they named are its core.
    pub(super) fn settle_core(&mut self, cluster: ClusterKey, policy: &Policy) -> Vec<MemberKey> {
        let known = self.cluster(cluster);
        if known.taught_by.is_some() || known.decided_by.is_some() {
            return self.lean_on_taught(cluster, policy);
        }
        let core = self.core_of(cluster, policy);
        let mut changed = Vec::new();
        for key in self.cluster(cluster).members.clone() {
            let belongs = core.contains(&key);
            if belongs != self.member(key).tied {
                if belongs {
                    self.tie(key)
                } else {
                    self.untie(key)
                };
                changed.push(key);
            }
        }
        changed
    }

    /// What joins a group that people taught is part of its core where it is sure to ask for what some of it asks for.
    fn lean_on_taught(&mut self, cluster: ClusterKey, policy: &Policy) -> Vec<MemberKey> {
        let least = policy.sure_pair();
        let members = self.cluster(cluster).members.clone();
        let (tied, loose): (Vec<MemberKey>, Vec<MemberKey>) = members.iter().partition(|key| self.member(**key).tied);
        let sure = |key: &&MemberKey| {
            let vector = &self.member(**key).vector;
            tied.iter().take(COMPARED).any(|other| self.member(*other).vector.cosine(vector) >= least)
        };
        let sure: Vec<MemberKey> = loose.iter().filter(sure).copied().collect();
        sure.into_iter().filter(|key| self.tie(*key)).collect()
    }

    /// The largest core that can be found from each of the likeliest pairs on.
    fn core_of(&self, cluster: ClusterKey, policy: &Policy) -> Vec<MemberKey> {
        let cluster = self.cluster(cluster);
        let mut members: Vec<MemberKey> = cluster.members.clone();
        if members.len() > COMPARED {
            let link = |key: &MemberKey| cluster.sum.mean_cosine(&self.member(*key).vector);
            let mut linked: Vec<(f64, MemberKey)> = members.iter().map(|key| (link(key), *key)).collect();
            linked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            linked.truncate(COMPARED);
            members = linked.into_iter().map(|(_, key)| key).collect();
        }
        // By their ids: keys are others after a restart.
        members.sort_unstable_by(|a, b| self.member(*a).id.cmp(&self.member(*b).id));
        let count = members.len();
        let alike: Vec<f64> = (0..count * count)
            .map(|at| {
                let (a, b) = (&self.member(members[at / count]).vector, &self.member(members[at % count]).vector);
                if at / count < at % count { a.cosine(b) } else { 0.0 }
            })
            .collect();
        let alike = |a: usize, b: usize| alike[a.min(b) * count + a.max(b)];
        let mut best: Vec<usize> = Vec::new();
        for seed in 0..count {
            let core = grow(seed, count, &alike, policy);
            if core.len() > best.len() {
                best = core;
            }
        }
        best.into_iter().map(|at| members[at]).collect()
    }

    /// Takes a member out of its cluster's core; true where it was part of it.
    pub(super) fn untie(&mut self, key: MemberKey) -> bool {
        let (true, Some(cluster)) = (self.member(key).tied, self.member(key).cluster) else { return false };
        self.member_mut(key).tied = false;
        let reviewer = self.member(key).reviewer.clone();
        let reviewers = &mut self.cluster_mut(cluster).tied_reviewers;
        if let Some(count) = reviewers.get_mut(&reviewer) {
            *count -= 1;
            if *count == 0 {
                reviewers.remove(&reviewer);
            }
        }
        true
    }
}

/// The core that grows from one member: always by the one that is most like all of it, as long as that is like each of it,
/// and on average sure to ask for the same. Two alone must be surer than that: no third confirms them.
fn grow(seed: usize, count: usize, alike: &impl Fn(usize, usize) -> f64, policy: &Policy) -> Vec<usize> {
    let mut core = vec![seed];
    let mut rest: Vec<(usize, f64)> = (0..count).filter(|other| *other != seed).map(|other| (other, 0.0)).collect();
    loop {
        let last = core[core.len() - 1];
        rest.retain_mut(|(other, links)| {
            let link = alike(last, *other);
            *links += link;
            link >= policy.core_pair
        });
        let Some((next, links)) =
            rest.iter().copied().reduce(|best, other| if other.1 > best.1 { other } else { best })
        else {
            break;
        };
        if links / (core.len() as f64) < policy.core_mean {
            break;
        }
        core.push(next);
        rest.retain(|(other, _)| *other != next);
    }
    let alone = core.len() == 2 && alike(core[0], core[1]) < policy.sure_pair();
    if core.len() < 2 || alone { Vec::new() } else { core }
}
