//! Remarks of which a language model said that they belong to a group: they are of its core, as long as it has one.
//!
//! The model's word counts for the remark alone. It makes no example of the group, as people's word does: nothing else
//! joins because of it.

use super::kept::Groups;
use crate::domain::grouping::keys::{ClusterKey, MemberKey};
use crate::domain::grouping::policy::Policy;

impl Groups {
    /// Finds a cluster's core anew, with those that were judged to belong to it. Returns the members that became part of it
    /// or are not part of it any more.
    pub(super) fn settle(&mut self, cluster: ClusterKey, policy: &Policy) -> Vec<MemberKey> {
        let members = self.cluster(cluster).members.clone();
        let before: Vec<bool> = members.iter().map(|key| self.member(*key).tied).collect();
        self.settle_core(cluster, policy);
        let judged: Vec<MemberKey> = members.iter().copied().filter(|key| self.member(*key).judged).collect();
        if !judged.is_empty() {
            if self.cluster(cluster).tied() == 0
                && let Some(other) = self.nearest_of(&members, judged[0])
            {
                self.tie(other);
            }
            judged.iter().for_each(|key| {
                self.tie(*key);
            });
        }
        let changed = members.iter().zip(before).filter(|(key, before)| self.member(**key).tied != *before);
        changed.map(|(key, _)| *key).collect()
    }

    /// The member that is most like another one.
    fn nearest_of(&self, members: &[MemberKey], key: MemberKey) -> Option<MemberKey> {
        let vector = &self.member(key).vector;
        let others = members.iter().filter(|other| **other != key && !self.member(**other).judged);
        let alike = |other: &MemberKey| self.member(*other).vector.cosine(vector);
        others.copied().reduce(|best, other| if alike(&other) > alike(&best) { other } else { best })
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

    /// Makes a cluster of a remark that stands alone, for another one to join it.
    pub fn found(&mut self, key: MemberKey, id: &str) -> ClusterKey {
        let cluster = self.cluster_named(id);
        self.enter(cluster, key);
        cluster
    }
}
