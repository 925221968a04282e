//! What people say belongs together, and what they take out.

use super::kept::Groups;
use crate::domain::grouping::keys::{ClusterKey, MemberKey};

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
