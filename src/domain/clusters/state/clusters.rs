//! The working set of demands: comments by agent, and the clusters they form.
//!
//! A value that is cheap to copy: a batch works on a copy, which replaces the working set once the batch is durable.
//! Joining is decided in `join.rs` and `people.rs`. Finding near vectors is the knowledge store's task; nothing here
//! scans. Everything here can be rebuilt from the decision records.

use crate::clusters::Cluster;
use crate::clusters::evaluation::Classification;
use crate::clusters::keys::{ClusterKey, MemberKey};
use crate::clusters::member::Member;
use crate::clusters::polarity::Polarity;
use crate::text::ids::fingerprint;
use imbl::{OrdMap, OrdSet, Vector};
use std::sync::Arc;

/// Number of members, the first ones, considered to describe a cluster: writing a file or a rule must not cost more as
/// the cluster grows.
pub const LOOKED_AT: usize = 64;

/// All comparable comments and their clusters.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    members: Vector<Arc<Member>>,
    /// See [`Clusters::pointing`]. Separate from the members, and small: it is checked first for each new comment's many
    /// neighbours.
    pointings: Vector<Option<Polarity>>,
    clusters: Vector<Arc<Cluster>>,
    /// Keys by id fingerprint: a million ids themselves would take 100 MB.
    member_of: OrdMap<u64, MemberKey>,
    cluster_of: OrdMap<u64, ClusterKey>,
    /// What people keep apart, by either id.
    pub(super) apart: OrdMap<String, OrdSet<String>>,
}

impl Clusters {
    /// Adds a comment without clustering it: its cluster is known from its record, or it has none.
    pub fn restore(&mut self, mut member: Member, cluster: Option<&str>) -> MemberKey {
        member.cluster = None;
        let tied = std::mem::take(&mut member.tied);
        let key = self.push(member);
        if let Some(id) = cluster {
            let cluster = self.cluster_named(id);
            self.enter(cluster, key);
            if tied {
                self.tie(key);
            }
        }
        key
    }

    /// Returns a member.
    pub fn member(&self, key: MemberKey) -> &Member {
        &self.members[key.0 as usize]
    }

    /// Returns a member's direction and subject; `None` once it is withdrawn.
    pub fn pointing(&self, key: MemberKey) -> Option<Polarity> {
        self.pointings[key.0 as usize]
    }

    /// Iterates over all members with their keys, in order of arrival.
    pub fn members(&self) -> impl Iterator<Item = (MemberKey, &Member)> {
        (0..).map(MemberKey).zip(self.members.iter().map(Arc::as_ref))
    }

    /// Returns the key of the next comment.
    pub fn next_key(&self) -> MemberKey {
        MemberKey(u32::try_from(self.members.len()).unwrap_or(u32::MAX))
    }

    /// Records what was written about a member.
    pub fn note_evaluation(&mut self, key: MemberKey, classification: Classification, revision: u32) {
        let member = self.member_mut(key);
        member.classification = classification;
        member.revision = revision;
    }

    /// Records the one-off that a member opened.
    pub fn note_edge_case(&mut self, key: MemberKey, edge_case: Option<String>) {
        self.member_mut(key).edge_case = edge_case;
    }

    /// Returns the key of a feedback, if it can be compared.
    pub fn key_of(&self, feedback_id: &str) -> Option<MemberKey> {
        let key = *self.member_of.get(&fingerprint(feedback_id))?;
        (self.member(key).id == feedback_id).then_some(key)
    }

    /// Returns a cluster.
    pub fn cluster(&self, key: ClusterKey) -> &Cluster {
        &self.clusters[key.0 as usize]
    }

    /// Returns the key of a cluster.
    pub fn find_cluster(&self, id: &str) -> Option<ClusterKey> {
        let key = *self.cluster_of.get(&fingerprint(id))?;
        (self.cluster(key).id == id).then_some(key)
    }

    /// Returns a cluster, to record what people or the proposals' rules decided about it.
    pub fn cluster_mut(&mut self, key: ClusterKey) -> &mut Cluster {
        Arc::make_mut(&mut self.clusters[key.0 as usize])
    }

    /// Returns the key of a cluster by its id, creating an empty one if necessary.
    pub fn cluster_named(&mut self, id: &str) -> ClusterKey {
        if let Some(key) = self.find_cluster(id) {
            return key;
        }
        let key = ClusterKey(u32::try_from(self.clusters.len()).unwrap_or(u32::MAX));
        self.clusters.push_back(Arc::new(Cluster::new(id.to_owned())));
        self.cluster_of.insert(fingerprint(id), key);
        key
    }

    /// Records a cluster's proposal.
    pub fn set_proposal(&mut self, key: ClusterKey, proposal: String) {
        self.cluster_mut(key).proposal = Some(proposal);
    }

    /// Iterates over all clusters with their keys.
    pub fn clusters(&self) -> impl Iterator<Item = (ClusterKey, &Cluster)> {
        (0..).map(ClusterKey).zip(self.clusters.iter().map(Arc::as_ref))
    }

    /// Returns a cluster's tied members, earliest first.
    pub fn tied_members(&self, key: ClusterKey) -> Vec<&Member> {
        let members = self.cluster(key).members.iter().map(|m| self.member(*m));
        let mut tied: Vec<&Member> = members.filter(|m| m.tied).collect();
        tied.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
        tied
    }

    /// Returns the members that best represent a cluster: those nearest to all others, each text once.
    pub fn representatives(&self, key: ClusterKey, count: usize) -> Vec<&Member> {
        let cluster = self.cluster(key);
        let looked_at = cluster.members.iter().take(LOOKED_AT).map(|m| self.member(*m));
        let mut ranked: Vec<(f64, &Member)> = looked_at.map(|m| (cluster.sum.mean_cosine(&m.vector), m)).collect();
        ranked.sort_by(|(a_link, a), (b_link, b)| {
            b.tied.cmp(&a.tied).then(b_link.total_cmp(a_link)).then_with(|| a.id.cmp(&b.id))
        });
        let mut seen = std::collections::HashSet::new();
        ranked.into_iter().map(|(_, m)| m).filter(|m| seen.insert(m.text.as_str())).take(count).collect()
    }

    /// Adds a member that is in no cluster yet.
    pub(super) fn push(&mut self, member: Member) -> MemberKey {
        let key = self.next_key();
        self.member_of.insert(fingerprint(&member.id), key);
        self.pointings.push_back((!member.withdrawn).then(|| member.pointing()));
        self.members.push_back(Arc::new(member));
        key
    }

    /// Excludes a member from comparison.
    pub(super) fn set_withdrawn(&mut self, key: MemberKey) {
        let member = self.member_mut(key);
        (member.cluster, member.tied, member.withdrawn) = (None, false, true);
        self.pointings.set(key.0 as usize, None);
    }

    pub(super) fn member_mut(&mut self, key: MemberKey) -> &mut Member {
        Arc::make_mut(&mut self.members[key.0 as usize])
    }

    pub(super) fn enter(&mut self, cluster: ClusterKey, key: MemberKey) {
        let member = Arc::make_mut(&mut self.members[key.0 as usize]);
        member.cluster = Some(cluster);
        Arc::make_mut(&mut self.clusters[cluster.0 as usize]).take_in(key, member);
    }

    /// Marks a member as similar to another; returns true if that is new.
    pub(super) fn tie(&mut self, key: MemberKey) -> bool {
        let (false, Some(cluster)) = (self.member(key).tied, self.member(key).cluster) else { return false };
        self.member_mut(key).tied = true;
        let reviewer = self.member(key).reviewer.clone();
        let task = self.member(key).task.clone().unwrap_or_default();
        let cluster = self.cluster_mut(cluster);
        *cluster.tied_reviewers.entry(reviewer).or_default() += 1;
        *cluster.tied_tasks.entry(task).or_default() += 1;
        true
    }

    /// Recomputes a cluster's figures from these members. Members stay tied if they were, or all are tied.
    pub(super) fn regroup(&mut self, cluster: ClusterKey, members: &[MemberKey], all_tied: bool) {
        self.cluster_mut(cluster).empty(members.is_empty());
        // A single member asks for nothing together with others, unless people decided that it is a pattern.
        let tied = if all_tied { members.len() } else { members.iter().filter(|m| self.member(**m).tied).count() };
        let lone = tied == 1 && self.cluster(cluster).decided_by.is_none();
        for key in members {
            let tied = self.member(*key).tied || all_tied;
            self.member_mut(*key).tied = false;
            self.enter(cluster, *key);
            if tied && !lone {
                self.tie(*key);
            }
        }
    }
}
