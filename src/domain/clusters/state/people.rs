//! What people say belongs together, and what they take out.

use super::clusters::Groups;
use crate::clusters::keys::{ClusterKey, MemberKey};

impl Groups {
    /// Gives a cluster exactly these members, as people decided. They leave the clusters they were in, and count as
    /// tied: people say that they ask for the same.
    pub fn assign(&mut self, cluster: ClusterKey, members: &[MemberKey]) {
        let mut sources: Vec<ClusterKey> = members.iter().filter_map(|m| self.member(*m).cluster).collect();
        sources.push(cluster);
        sources.sort_unstable();
        sources.dedup();
        // People's word takes the place of a model's.
        members.iter().for_each(|key| self.member_mut(*key).judged = false);
        for source in sources {
            let left: Vec<MemberKey> =
                self.cluster(source).members.iter().copied().filter(|m| !members.contains(m)).collect();
            self.regroup(source, if source == cluster { members } else { &left }, source == cluster);
        }
    }

    /// Takes members out of their groups, as people decided: each stands alone then. Who is left alone by that does so too,
    /// where people never said that it belongs there. Returns the groups that lost members, and who else stands alone.
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

    /// Members that only lean on their group, and are not counted.
    pub fn loosen(&mut self, members: &[MemberKey]) {
        members.iter().for_each(|key| {
            self.untie(*key);
        });
    }

    /// Takes members out of every group, and out of comparison with what others ask for.
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
