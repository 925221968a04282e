//! A reinterpreted comment leaves its cluster and is added again as if new.

use super::clusters::Clusters;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::policy::Policy;

/// What a comment left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The cluster it was in.
    pub cluster: ClusterKey,
    /// Whether people made no decision about it: it is then gone once it has no members.
    pub is_plain: bool,
    /// Its members whose status changed, and any that is alone again.
    pub changed: Vec<MemberKey>,
}

impl Clusters {
    /// Reports whether people set a cluster's members or decided about it.
    pub fn is_peoples(&self, cluster: ClusterKey) -> bool {
        let cluster = self.cluster(cluster);
        let taught = cluster.taught_by.as_deref().is_some_and(|by| !by.starts_with("model:"));
        taught || cluster.decided_by.is_some()
    }

    /// Removes a comment from its cluster and from comparison. A cluster of one without a decision by people ceases to
    /// exist.
    pub fn take_out(&mut self, key: MemberKey, policy: &Policy) -> Option<Departure> {
        let left = self.step_out(key, policy);
        self.set_withdrawn(key);
        left
    }

    /// Removes a comment from its cluster: it is then alone.
    pub fn step_out(&mut self, key: MemberKey, policy: &Policy) -> Option<Departure> {
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
        Some(Departure { cluster: from, is_plain: !known, changed })
    }
}
