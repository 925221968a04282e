//! Comments that a language model assigned to a cluster: they are part of its core.
//!
//! The model's verdict counts for that comment alone. Unlike people's decisions, it makes no example: nothing else
//! joins because of it.

use super::clusters::Clusters;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::policy::Policy;

/// Number of comments that make a core if only a model says that they belong together. A proposal is checked against
/// its evidence.
const FOUNDERS: usize = 2;

impl Clusters {
    /// Recomputes a cluster's core, including those judged to belong to it; `fresh` are the new members. Returns the
    /// members that entered or left it.
    pub(super) fn settle(&mut self, cluster: ClusterKey, fresh: &[MemberKey], policy: &Policy) -> Vec<MemberKey> {
        let had_core = self.cluster(cluster).tied() > 0;
        let mut changed = self.settle_core(cluster, fresh, policy);
        let has_core = self.cluster(cluster).tied() > 0;
        // Only then can a judged one have changed: avoid scanning a large cluster for nothing.
        if had_core == has_core && !fresh.iter().chain(&changed).any(|key| self.member(*key).judged) {
            return changed;
        }
        let members = &self.cluster(cluster).members;
        let judged: Vec<MemberKey> = members.iter().copied().filter(|key| self.member(*key).judged).collect();
        if !has_core && judged.len() < FOUNDERS {
            return changed;
        }
        for key in judged {
            if self.tie(key) {
                match changed.iter().position(|known| *known == key) {
                    Some(at) => drop(changed.swap_remove(at)),
                    None => changed.push(key),
                }
            }
        }
        changed.sort_unstable();
        changed
    }

    /// Adds a comment that is alone to a cluster, as judged by a language model. Returns the members whose status
    /// changed.
    pub fn join_judged(&mut self, key: MemberKey, cluster: ClusterKey, policy: &Policy) -> Vec<MemberKey> {
        self.member_mut(key).judged = true;
        self.enter(cluster, key);
        let mut changed = self.settle(cluster, &[key], policy);
        if !changed.contains(&key) {
            changed.push(key);
        }
        changed
    }

    /// Records that a comment belongs to the cluster it leans on, as judged by a language model. Returns the members
    /// whose status changed.
    pub fn confirm_judged(&mut self, key: MemberKey, policy: &Policy) -> Vec<MemberKey> {
        self.member_mut(key).judged = true;
        self.member(key).cluster.map(|cluster| self.settle(cluster, &[key], policy)).unwrap_or_default()
    }

    /// Creates a cluster from a comment that is alone, for another to join: saying that one belongs to the other
    /// applies to both.
    pub fn found(&mut self, key: MemberKey, id: &str) -> ClusterKey {
        let cluster = self.cluster_named(id);
        self.member_mut(key).judged = true;
        self.enter(cluster, key);
        cluster
    }
}
