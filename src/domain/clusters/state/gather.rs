//! What a growing cluster absorbs: comments that arrived before the demand was clear.
//!
//! A comment is compared on arrival with what was said until then. The first ones about something are alone, or in
//! small clusters by chance; once a cluster has grown, they may turn out to belong to it. Without this step, clusters
//! would depend on the order of the stream. Comments placed by people, or with a proposal, are never taken from their
//! cluster.

use super::clusters::Clusters;
use crate::clusters::evaluation::Classification;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::policy::Policy;

/// Maximum size of a cluster that may lose members to another.
const SMALL: usize = 12;

impl Clusters {
    /// Moves near comments that are alone, or in smaller clusters without a proposal, into a cluster they are near
    /// enough to. Returns those whose cluster changed, and the clusters they left.
    pub(super) fn gather(
        &mut self,
        into: ClusterKey,
        near: &[(MemberKey, f64)],
        policy: &Policy,
    ) -> (Vec<MemberKey>, Vec<ClusterKey>) {
        let (mut moved, mut left) = (Vec::new(), Vec::new());
        for (key, _) in near {
            let from = self.member(*key).cluster;
            if from == Some(into)
                || from.is_some_and(|from| !self.yields(from, into))
                || !self.belongs(*key, into, policy)
            {
                continue;
            }
            if let Some(from) = from {
                moved.extend(self.leave(from, *key));
                left.push(from);
            }
            self.enter(into, *key);
            moved.push(*key);
        }
        left.sort_unstable();
        left.dedup();
        (moved, left)
    }

    /// Reports whether a cluster may lose members to another.
    fn yields(&self, from: ClusterKey, into: ClusterKey) -> bool {
        let (from, into) = (self.cluster(from), self.cluster(into));
        let decided =
            from.taught_by.is_some() || from.decided_by.is_some() || self.kept_apart(&from.id).next().is_some();
        !decided && from.proposal.is_none() && from.members.len() <= SMALL && from.members.len() < into.members.len()
    }

    /// Reports whether a comment is near enough to a cluster to belong to it.
    fn belongs(&self, key: MemberKey, into: ClusterKey, policy: &Policy) -> bool {
        let (member, group) = (self.member(key), self.cluster(into));
        !member.withdrawn
            && member.classification != Classification::Ambiguous
            && !member.pointing().opposes(group.pointing)
            && group.members.first().is_none_or(|other| !self.is_kept_from(key, *other))
            && group.sum.mean_cosine(&member.vector) >= policy.group_threshold
    }

    /// Removes a comment from its cluster. A single remaining member is alone again, and is returned.
    pub(super) fn leave(&mut self, from: ClusterKey, key: MemberKey) -> Option<MemberKey> {
        let mut rest: Vec<MemberKey> = self.cluster(from).members.iter().copied().filter(|m| *m != key).collect();
        let lone = if let [lone] = rest[..] { Some(lone) } else { None };
        if let Some(lone) = lone {
            let lone = self.member_mut(lone);
            (lone.cluster, lone.tied, lone.judged) = (None, false, false);
            rest.clear();
        }
        self.regroup(from, &rest, false);
        let member = self.member_mut(key);
        (member.tied, member.judged) = (false, false);
        lone
    }
}
