//! A new comment joins the cluster whose members are, on average, near enough, or is alone (online average link).
//!
//! A cluster that grew absorbs what came too early (`gather.rs`); the cluster to join is chosen in `target.rs`.

use super::clusters::Clusters;
use crate::clusters::evaluation::Classification;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::member::Member;
use crate::clusters::polarity::Polarity;
use crate::clusters::policy::Policy;
use crate::text::ids::cluster_id;

/// What a new comment changed in the clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinOutcome {
    /// Its current cluster.
    pub cluster: Option<ClusterKey>,
    /// Earlier members that changed cluster, or entered or left its core.
    pub moved: Vec<MemberKey>,
    /// Clusters that lost members to it.
    pub left: Vec<ClusterKey>,
    /// Whether the class of the cluster's pattern changed, and thus that of all tied members.
    pub reclassified: bool,
}

impl Clusters {
    /// Adds a new comment. `near` are the members it may be clustered with, with their raw cosines, best first.
    pub fn join(&mut self, member: Member, near: &[(MemberKey, f64)], policy: &Policy) -> (MemberKey, JoinOutcome) {
        let key = self.push(member);
        let similar_cosine = policy.calibration.cosine(policy.similar_at);
        let pointing = self.member(key).pointing();
        let near: Vec<(MemberKey, f64)> =
            near.iter().copied().filter(|(other, _)| self.may_join(key, pointing, *other)).collect();
        let Some(target) = self.best_target(key, &near, similar_cosine, policy.group_threshold) else {
            return (key, JoinOutcome::default());
        };
        let mut joined = JoinOutcome::default();
        let cluster = match self.member(target).cluster {
            Some(cluster) => cluster,
            None => {
                let id = cluster_id(&self.member(target).id);
                let cluster = self.cluster_named(&id);
                self.enter(cluster, target);
                joined.moved.push(target);
                cluster
            }
        };
        let before = self.cluster(cluster).class(policy);
        self.enter(cluster, key);
        joined.cluster = Some(cluster);
        let (gathered, left) = self.gather(cluster, &near, policy);
        joined.moved.extend(gathered);
        joined.left = left;
        let fresh: Vec<MemberKey> = joined.moved.iter().copied().chain([key]).collect();
        for changed in self.settle(cluster, &fresh, policy) {
            if changed != key && !joined.moved.contains(&changed) {
                joined.moved.push(changed);
            }
        }
        joined.reclassified = self.cluster(cluster).class(policy) != before;
        (key, joined)
    }

    /// Reports whether two may share a cluster. Contradictions are pending and join none. A cluster points one way,
    /// unless people merged it. What people keep apart stays apart.
    fn may_join(&self, key: MemberKey, pointing: Polarity, other_key: MemberKey) -> bool {
        let other = self.member(other_key);
        let group = other.cluster.map(|c| self.cluster(c)).filter(|c| c.taught_by.is_none());
        other.classification != Classification::Ambiguous
            && self.pointing(other_key).is_some_and(|other| !pointing.opposes(other))
            && !group.is_some_and(|c| pointing.opposes(c.pointing))
            && !self.is_kept_from(key, other_key)
    }
}
