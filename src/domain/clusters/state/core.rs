//! The core of a group: remarks of which each is sure to ask for the same as each other one. They alone make a pattern and
//! stand behind its rule; the other members lean on them and are not counted.

use super::clusters::Groups;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::policy::Policy;
use crate::text::language::similarity::DemandVector;
use std::collections::BTreeMap;

/// How many members are compared with each other.
const COMPARED: usize = 32;
/// The core from which a larger group is established: its core stands, and what comes is held against that.
const ESTABLISHED: u64 = 16;
/// Among how many members, the latest, the core of a larger group is looked for that is not established.
const LATEST: usize = 96;
/// How many of those that people named are held against what comes.
const EXAMPLES: usize = 48;

impl Groups {
    /// Finds a cluster's core anew, where `fresh` are the members that came. Returns the members that became part of it or
    /// are not part of it any more. Where people said what belongs to it, all that they named are its core. What it costs
    /// does not grow with the cluster.
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

    /// What joins a group that people taught is part of its core where it is sure to ask for what some of it asks for.
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

    /// What joins an established group is part of its core where it is like each of that, and on average sure to ask for the
    /// same.
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

    /// The first members of a cluster's core.
    fn first_of_core(&self, cluster: ClusterKey, count: usize) -> Vec<MemberKey> {
        let cluster = self.cluster(cluster);
        // The last one ends the search: a large group may have few.
        let count = count.min(usize::try_from(cluster.tied()).unwrap_or(usize::MAX));
        cluster.members.iter().copied().filter(|key| self.member(*key).tied).take(count).collect()
    }

    /// The members among which a core is looked for: of a larger group those of its core and, of the latest, those that are
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

    /// The largest core that can be found from each of some members on.
    fn core_among(&self, members: &[MemberKey], policy: &Policy) -> Vec<MemberKey> {
        let mut members = members.to_vec();
        // By their ids: keys are others after a restart.
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

    /// Makes a member part of its cluster's core, or takes it out; true where it was not so before.
    fn belong(&mut self, key: MemberKey, belongs: bool) -> bool {
        if belongs { self.tie(key) } else { self.untie(key) }
    }

    /// Takes a member out of its cluster's core; true where it was part of it.
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

/// Takes one from a count; what has none left is gone.
fn count_down(counts: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(count) = counts.get_mut(name) {
        *count -= 1;
        if *count == 0 {
            counts.remove(name);
        }
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
