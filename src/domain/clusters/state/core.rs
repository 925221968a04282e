//! The core of a cluster: comments that all surely ask for the same as each other. Only they make a pattern and back
//! its rule; the other members lean on them and are not counted.

use super::clusters::Clusters;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::policy::Policy;
use crate::text::language::similarity::DemandVector;
use std::collections::BTreeMap;

/// Maximum number of members compared with each other.
const COMPARED: usize = 32;
/// Core size from which a larger cluster is established: its core is fixed, and new members are compared with it.
const ESTABLISHED: u64 = 16;
/// Number of latest members searched for the core of a larger cluster that is not established.
const LATEST: usize = 96;
/// Maximum number of examples named by people that new members are compared with.
const EXAMPLES: usize = 48;

impl Clusters {
    /// Recomputes a cluster's core; `fresh` are the new members. Returns the members that entered or left it. If people
    /// set the cluster's members, all of these are its core. The cost does not grow with the cluster.
    pub(super) fn settle_core(&mut self, cluster: ClusterKey, fresh: &[MemberKey], policy: &Policy) -> Vec<MemberKey> {
        let known = self.cluster(cluster);
        let is_large = known.members.len() > COMPARED;
        if known.taught_by.is_some() || known.decided_by.is_some() {
            let looked_at = if is_large { fresh.to_vec() } else { known.members.clone() };
            return self.lean_on_taught(cluster, &looked_at, policy);
        }
        if is_large && known.tied() >= ESTABLISHED {
            return self.join_core(cluster, fresh, policy);
        }
        let compared = self.compared(cluster);
        let core = self.core_among(&compared, policy);
        compared.into_iter().filter(|key| self.belong(*key, core.contains(key))).collect()
    }

    /// Adds new members of a taught cluster to its core if they surely ask for what some of it asks for.
    fn lean_on_taught(&mut self, cluster: ClusterKey, looked_at: &[MemberKey], policy: &Policy) -> Vec<MemberKey> {
        let least = policy.sure_pair();
        let core = self.first_of_core(cluster, EXAMPLES);
        let sure = |key: &MemberKey| {
            let vector = &self.member(*key).vector;
            !self.member(*key).tied && core.iter().any(|other| self.member(*other).vector.cosine(vector) >= least)
        };
        let sure: Vec<MemberKey> = looked_at.iter().copied().filter(sure).collect();
        sure.into_iter().filter(|key| self.tie(*key)).collect()
    }

    /// Adds new members of an established cluster to its core if they are similar to each core member and on average
    /// surely ask for the same.
    fn join_core(&mut self, cluster: ClusterKey, fresh: &[MemberKey], policy: &Policy) -> Vec<MemberKey> {
        let core = self.first_of_core(cluster, COMPARED);
        let sure = |key: &MemberKey| {
            let others = core.iter().filter(|other| *other != key);
            let links: Vec<f64> =
                others.map(|other| self.member(*other).vector.cosine(&self.member(*key).vector)).collect();
            links.iter().all(|link| *link >= policy.core_pair)
                && links.iter().sum::<f64>() >= policy.core_mean * links.len() as f64
        };
        let sure: Vec<MemberKey> = fresh.iter().copied().filter(sure).collect();
        sure.into_iter().filter(|key| self.tie(*key)).collect()
    }

    /// Returns the first members of a cluster's core.
    fn first_of_core(&self, cluster: ClusterKey, count: usize) -> Vec<MemberKey> {
        let cluster = self.cluster(cluster);
        // Stop at the last one: a large cluster may have few.
        let count = count.min(usize::try_from(cluster.tied()).unwrap_or(usize::MAX));
        cluster.members.iter().copied().filter(|key| self.member(*key).tied).take(count).collect()
    }

    /// Returns the members among which a core is sought: in a larger cluster, its core and those of the latest that are
    /// nearest to all.
    fn compared(&self, key: ClusterKey) -> Vec<MemberKey> {
        let cluster = self.cluster(key);
        if cluster.members.len() <= COMPARED {
            return cluster.members.clone();
        }
        let latest = &cluster.members[cluster.members.len().saturating_sub(LATEST)..];
        let mut compared = self.first_of_core(key, usize::MAX);
        let link = |key: &MemberKey| cluster.sum.mean_cosine(&self.member(*key).vector);
        let mut linked: Vec<(f64, MemberKey)> =
            latest.iter().filter(|key| !self.member(**key).tied).map(|key| (link(key), *key)).collect();
        linked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        compared.extend(linked.into_iter().map(|(_, key)| key).take(COMPARED.saturating_sub(compared.len())));
        compared
    }

    /// Returns the largest core found when starting from each of some members.
    fn core_among(&self, members: &[MemberKey], policy: &Policy) -> Vec<MemberKey> {
        let mut members = members.to_vec();
        // By id: keys change after a restart.
        members.sort_unstable_by(|a, b| self.member(*a).id.cmp(&self.member(*b).id));
        let count = members.len();
        let vectors: Vec<&DemandVector> = members.iter().map(|key| &self.member(*key).vector).collect();
        let mut alike = vec![0.0; count * count];
        for a in 0..count {
            for b in a + 1..count {
                let cosine = vectors[a].cosine(vectors[b]);
                (alike[a * count + b], alike[b * count + a]) = (cosine, cosine);
            }
        }
        let alike = |a: usize, b: usize| alike[a * count + b];
        let mut best: Vec<usize> = Vec::new();
        for seed in 0..count {
            let core = grow(seed, count, &alike, policy);
            if core.len() > best.len() {
                best = core;
            }
            if best.len() == count {
                break;
            }
        }
        best.into_iter().map(|at| members[at]).collect()
    }

    /// Adds a member to its cluster's core or removes it; returns true if that is a change.
    fn belong(&mut self, key: MemberKey, belongs: bool) -> bool {
        if belongs { self.tie(key) } else { self.untie(key) }
    }

    /// Removes a member from its cluster's core; returns true if it was part of it.
    pub(super) fn untie(&mut self, key: MemberKey) -> bool {
        let (true, Some(cluster)) = (self.member(key).tied, self.member(key).cluster) else { return false };
        self.member_mut(key).tied = false;
        let reviewer = self.member(key).reviewer.clone();
        let task = self.member(key).task.clone().unwrap_or_default();
        let cluster = self.cluster_mut(cluster);
        count_down(&mut cluster.tied_reviewers, &reviewer);
        count_down(&mut cluster.tied_tasks, &task);
        true
    }
}

/// Decrements a count and removes it at zero.
fn count_down(counts: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(count) = counts.get_mut(name) {
        *count -= 1;
        if *count == 0 {
            counts.remove(name);
        }
    }
}

/// Grows a core from one member: repeatedly adds the one most similar to all of it, as long as that is similar to each
/// member and on average surely asks for the same. Two alone need more certainty: no third confirms them.
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
