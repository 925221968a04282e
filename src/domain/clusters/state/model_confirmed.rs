//! Remarks of which a language model said that they belong to a group: they are of its core.
//!
//! The model's word counts for the remark alone. It makes no example of the group, as people's word does: nothing else
//! joins because of it.

use super::clusters::Groups;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::policy::Policy;

/// How many comments make a core if nothing but a model's word says that they belong together. What is proposed is checked
/// against its evidence.
const FOUNDERS: usize = 2;

impl Groups {
    /// Finds a cluster's core anew, with those that were judged to belong to it; `fresh` are the members that came. Returns
    /// the members that became part of it or are not part of it any more.
    pub(super) fn settle(&mut self, cluster: ClusterKey, fresh: &[MemberKey], policy: &Policy) -> Vec<MemberKey> {
        let had_core = self.cluster(cluster).tied() > 0;
        let mut changed = self.settle_core(cluster, fresh, policy);
        let has_core = self.cluster(cluster).tied() > 0;
        // Only then a judged one may stand otherwise than before: a large cluster is not looked through for nothing.
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

    /// Puts a remark that stands alone into a cluster, as a language model judged. Returns the members whose standing
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

    /// Notes that a remark belongs to the cluster that it leans on, as a language model judged. Returns the members whose
    /// standing changed.
    pub fn confirm_judged(&mut self, key: MemberKey, policy: &Policy) -> Vec<MemberKey> {
        self.member_mut(key).judged = true;
        self.member(key).cluster.map(|cluster| self.settle(cluster, &[key], policy)).unwrap_or_default()
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
