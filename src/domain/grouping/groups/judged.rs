//! Remarks of which a language model said that they belong to a group: they are of its core.
//!
//! The model's word counts for the remark alone. It makes no example of the group, as people's word does: nothing else
//! joins because of it.

use super::kept::Groups;
use crate::domain::grouping::keys::{ClusterKey, MemberKey};
use crate::domain::grouping::policy::Policy;

/// How many remarks make a core where nothing but a model's word says that they belong together: one wrong word makes none.
const FOUNDERS: usize = 3;

impl Groups {
    /// Finds a cluster's core anew, with those that were judged to belong to it. Returns the members that became part of it
    /// or are not part of it any more.
    pub(super) fn settle(&mut self, cluster: ClusterKey, policy: &Policy) -> Vec<MemberKey> {
        let members = self.cluster(cluster).members.clone();
        let before: Vec<bool> = members.iter().map(|key| self.member(*key).tied).collect();
        self.settle_core(cluster, policy);
        let judged: Vec<MemberKey> = members.iter().copied().filter(|key| self.member(*key).judged).collect();
        if self.cluster(cluster).tied() > 0 || judged.len() >= FOUNDERS {
            judged.iter().for_each(|key| {
                self.tie(*key);
            });
        }
        let changed = members.iter().zip(before).filter(|(key, before)| self.member(**key).tied != *before);
        changed.map(|(key, _)| *key).collect()
    }

    /// Puts a remark that stands alone into a cluster, as a language model judged. Returns the members whose standing
    /// changed.
    pub fn join_judged(&mut self, key: MemberKey, cluster: ClusterKey, policy: &Policy) -> Vec<MemberKey> {
        self.member_mut(key).judged = true;
        self.enter(cluster, key);
        let mut changed = self.settle(cluster, policy);
        if !changed.contains(&key) {
            changed.push(key);
        }
        changed
    }

    /// Notes that a remark belongs to the cluster that it leans on, as a language model judged. Returns the members whose
    /// standing changed.
    pub fn confirm_judged(&mut self, key: MemberKey, policy: &Policy) -> Vec<MemberKey> {
        self.member_mut(key).judged = true;
        self.member(key).cluster.map(|cluster| self.settle(cluster, policy)).unwrap_or_default()
    }

    /// Makes a cluster of a remark that stands alone, for another one to join it: whoever says that one belongs to the
    /// other says it of both.
    pub fn found(&mut self, key: MemberKey, id: &str) -> ClusterKey {
        let cluster = self.cluster_named(id);
        self.member_mut(key).judged = true;
        self.enter(cluster, key);
        cluster
    }
}
