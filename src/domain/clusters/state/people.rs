//! What people put together and what they remove.

use super::clusters::Clusters;
use crate::clusters::keys::{ClusterKey, MemberKey};

impl Clusters {
    /// Gives a cluster exactly these members, as decided by people. They leave their previous clusters, and count as
    /// tied: people say that they ask for the same.
    pub fn assign(&mut self, cluster: ClusterKey, members: &[MemberKey]) {
        let mut sources: Vec<ClusterKey> = members.iter().filter_map(|m| self.member(*m).cluster).collect();
        sources.push(cluster);
        sources.sort_unstable();
        sources.dedup();
        // People's decisions replace a model's.
        members.iter().for_each(|key| self.member_mut(*key).judged = false);
        for source in sources {
            let left: Vec<MemberKey> =
                self.cluster(source).members.iter().copied().filter(|m| !members.contains(m)).collect();
            self.regroup(source, if source == cluster { members } else { &left }, source == cluster);
        }
    }

    /// Removes members from their clusters, as decided by people: each is then alone. So is any single remaining member
    /// that people never assigned there. Returns the clusters that lost members, and the others that are now alone.
    pub fn release(&mut self, members: &[MemberKey]) -> (Vec<ClusterKey>, Vec<MemberKey>) {
        let mut sources: Vec<ClusterKey> = members.iter().filter_map(|m| self.member(*m).cluster).collect();
        sources.sort_unstable();
        sources.dedup();
        let mut lonely = Vec::new();
        for source in &sources {
            let cluster = self.cluster(*source);
            let mut left: Vec<MemberKey> = cluster.members.iter().copied().filter(|m| !members.contains(m)).collect();
            let holds = cluster.taught_by.is_some() || cluster.decided_by.is_some() || cluster.proposal.is_some();
            if let ([lone], false) = (left.as_slice(), holds) {
                lonely.push(*lone);
                left.clear();
            }
            self.regroup(*source, &left, false);
        }
        for key in members.iter().chain(&lonely) {
            let member = self.member_mut(*key);
            (member.cluster, member.tied) = (None, false);
        }
        (sources, lonely)
    }

    /// Makes members lean on their cluster without being counted.
    pub fn loosen(&mut self, members: &[MemberKey]) {
        members.iter().for_each(|key| {
            self.untie(*key);
        });
    }

    /// Removes members from every cluster and from comparison.
    pub fn withdraw(&mut self, members: &[MemberKey]) {
        let mut sources: Vec<ClusterKey> = members.iter().filter_map(|m| self.member(*m).cluster).collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            let left: Vec<MemberKey> =
                self.cluster(source).members.iter().copied().filter(|m| !members.contains(m)).collect();
            self.regroup(source, &left, false);
        }
        for member in members {
            self.set_withdrawn(*member);
        }
    }
}
