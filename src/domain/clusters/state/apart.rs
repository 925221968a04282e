//! What people keep apart: pairs of clusters or comments that ask for different things.
//!
//! A pair names what people saw, and applies to whatever that belongs to now. It therefore needs no upkeep when
//! clusters are merged or comments move, and has no effect once people have merged the two after all.

use super::clusters::Clusters;
use crate::clusters::keys::{ClusterKey, MemberKey};

/// Maximum number of merges followed from a cluster; manual edits could create a cycle.
const HOPS: usize = 64;

/// The subject of a query: a cluster, or a comment in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClusterOrComment {
    /// A cluster with members.
    Cluster(ClusterKey),
    /// A comment in no cluster.
    Lone(MemberKey),
}

impl Clusters {
    /// Records that these two, clusters or feedback, ask for different things. Returns true if that is new.
    pub fn keep_apart(&mut self, a: &str, b: &str) -> bool {
        self.apart.entry(b.to_owned()).or_default().insert(a.to_owned());
        self.apart.entry(a.to_owned()).or_default().insert(b.to_owned()).is_none()
    }

    /// Returns what people declared different from a cluster or feedback, by the names they used.
    pub fn kept_apart(&self, id: &str) -> impl Iterator<Item = &str> {
        self.apart.get(id).into_iter().flatten().map(String::as_str)
    }

    /// Returns all pairs that people keep apart, by the names they used, each once.
    pub fn all_apart(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.apart.iter().flat_map(|(a, others)| others.iter().map(move |b| (a.as_str(), b.as_str())));
        pairs.filter(|(a, b)| a <= b)
    }

    /// Returns where a cluster or feedback is now; `None` if it is unknown, withdrawn, or has no members.
    pub fn group(&self, id: &str) -> Option<ClusterOrComment> {
        if let Some(member) = self.key_of(id) {
            return (!self.member(member).withdrawn).then(|| self.group_of(member));
        }
        let mut key = self.find_cluster(id)?;
        for _ in 0..HOPS {
            let cluster = self.cluster(key);
            if !cluster.members.is_empty() {
                return Some(ClusterOrComment::Cluster(key));
            }
            key = self.find_cluster(cluster.merged_into.as_deref()?)?;
        }
        None
    }

    /// Returns where a comment is.
    pub fn group_of(&self, member: MemberKey) -> ClusterOrComment {
        self.member(member).cluster.map_or(ClusterOrComment::Lone(member), ClusterOrComment::Cluster)
    }

    /// Returns the id: the cluster's, or that of the only feedback.
    pub fn group_id(&self, group: ClusterOrComment) -> &str {
        match group {
            ClusterOrComment::Cluster(key) => &self.cluster(key).id,
            ClusterOrComment::Lone(key) => &self.member(key).id,
        }
    }

    /// Returns its members.
    pub fn group_members(&self, group: ClusterOrComment) -> Vec<MemberKey> {
        match group {
            ClusterOrComment::Cluster(key) => self.cluster(key).members.clone(),
            ClusterOrComment::Lone(key) => vec![key],
        }
    }

    /// Reports whether people said that these two ask for different things.
    pub fn are_apart(&self, a: ClusterOrComment, b: ClusterOrComment) -> bool {
        a != b
            && self.all_apart().any(|(x, y)| match (self.group(x), self.group(y)) {
                (Some(x), Some(y)) => (x, y) == (a, b) || (y, x) == (a, b),
                _ => false,
            })
    }

    /// Reports whether people keep a comment apart from what another one belongs to. Free for a comment they never
    /// named, such as every new one.
    pub(super) fn is_kept_from(&self, key: MemberKey, other: MemberKey) -> bool {
        self.apart.contains_key(&self.member(key).id) && self.are_apart(self.group_of(key), self.group_of(other))
    }
}
