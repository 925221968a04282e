//! A remark that is understood anew leaves its group, and comes again as if it were new.

use super::clusters::Groups;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::policy::Policy;

/// What a remark left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The cluster that it was in.
    pub cluster: ClusterKey,
    /// Whether nobody decided anything about it: where it has no members left it is gone.
    pub is_plain: bool,
    /// The members of it whose standing changed, and who stands alone again.
    pub changed: Vec<MemberKey>,
}

impl Groups {
    /// Whether people said what belongs to a cluster, or decided about it.
    pub fn is_peoples(&self, cluster: ClusterKey) -> bool {
        let cluster = self.cluster(cluster);
        let taught = cluster.taught_by.as_deref().is_some_and(|by| !by.starts_with("model:"));
        taught || cluster.decided_by.is_some()
    }

    /// Takes a remark out of its group and out of comparison. A group of one that nobody decided about is none any more.
    pub fn take_out(&mut self, key: MemberKey, policy: &Policy) -> Option<Left> {
        let left = self.step_out(key, policy);
        self.set_withdrawn(key);
        left
    }

    /// Takes a remark out of its group: it stands alone.
    pub fn step_out(&mut self, key: MemberKey, policy: &Policy) -> Option<Left> {
        let from = self.member(key).cluster?;
        let members: Vec<MemberKey> = self.cluster(from).members.iter().copied().filter(|m| *m != key).collect();
        let cluster = self.cluster(from);
        let known = cluster.proposal.is_some() || cluster.taught_by.is_some() || cluster.decided_by.is_some();
        let known = known || self.kept_apart(&self.cluster(from).id).next().is_some();
        let mut changed: Vec<MemberKey> = Vec::new();
        if known {
            let tied: Vec<bool> = members.iter().map(|m| self.member(*m).tied).collect();
            self.regroup(from, &members, false);
            let other = members.iter().zip(tied).filter(|(m, tied)| self.member(**m).tied != *tied);
            changed.extend(other.map(|(m, _)| *m));
        } else {
            changed.extend(self.leave(from, key));
        }
        changed.extend(self.settle(from, &[], policy));
        changed.sort_unstable();
        changed.dedup();
        let member = self.member_mut(key);
        (member.cluster, member.tied, member.judged) = (None, false, false);
        Some(Left { cluster: from, is_plain: !known, changed })
    }
}
